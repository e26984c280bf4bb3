/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Limits of a recording. An event is about 1 KiB, and there are three arrays of them: the options,
 * the last recording, the next one.
 */
#pragma once

#define RECORDING_EVENTS_MAX   96
#define RECORDING_RING_DEFAULT (1024u * 1024) /* bytes per CPU, unless -m sets another size */
