/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel command line as the door to the console before there is a prompt (docs/machines.md).
 * Task context.
 */
#pragma once

/* perf.boot="record -e EVENT ...": arms the events now. */
void script_boot_recording(void);

/* Ends that recording, streams it; runs run="CMD; CMD"; warns of words that no code understood. */
void script_run(void);
