/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which program's code lies where in which process, noted for a recording: of processes that live
 * when it starts and those that start meanwhile. What has ended stays known until the next
 * recording. Called by core/recording/recording.c in task context, between recording_comms_start
 * and recording_comms_stop; user_place_find (core/symbols/user_place.h) answers from here in any.
 */
#pragma once

void recording_maps_start(void);
void recording_maps_stop(void);
