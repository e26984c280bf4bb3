/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces core/recording/sizes.h in another kernel, by the order of -I in core/embed/lib.mk. */
#pragma once

#define RECORDING_EVENTS_MAX   8
#define RECORDING_RING_DEFAULT EMBED_RING_SIZE /* RING of lib.mk */
