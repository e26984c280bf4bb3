/* SPDX-License-Identifier: BSD-2-Clause */
/* Background programs (`run PROGRAM &`). */
#pragma once

struct process;

/* Detaches a program from the console. Returns 0. Task context. */
int job_start(struct process *process);

/* Enables reports of jobs that exit. Boot. */
void jobs_init(void);
