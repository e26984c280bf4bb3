/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How much a recording of the console's may have in another kernel: found in place of
 * core/recording/sizes.h, by the order of core/embed/lib.mk's -I.
 */
#pragma once

#define RECORDING_EVENTS_MAX   8
#define RECORDING_RING_DEFAULT EMBED_RING_SIZE /* RING of lib.mk */
