/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits of a recording. An event takes about 1 KiB in the options and in each of the two banks. */
#pragma once

#define RECORDING_EVENTS_MAX   96
#define RECORDING_RING_DEFAULT (1024u * 1024) /* bytes per CPU, unless -m sets another size */
