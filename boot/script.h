/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Console commands from the kernel command line, run before the prompt appears (docs/machines.md).
 * Task context.
 */
#pragma once

/* perf.boot="record -e EVENT ...": arms the events now. */
void script_boot_recording(void);

/*
 * Ends that recording and streams it; runs run="CMD; CMD"; warns of arguments that no code asked
 * for.
 */
void script_run(void);
