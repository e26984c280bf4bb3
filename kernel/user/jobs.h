/* SPDX-License-Identifier: BSD-2-Clause */
/* Background programs (`run PROGRAM &`). */
#pragma once

struct process;

/*
 * Reports the end of a background program, which is still visible. Runs in a worker's task context.
 */
void job_ended(const struct process *process);
