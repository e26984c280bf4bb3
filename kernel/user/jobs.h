/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs that run beside the console (`run PROGRAM &`). */
#pragma once

struct process;

/* The console will not wait for this one. Returns 0, what the command ends with. Task context. */
int job_start(struct process *process);

/* Ends of jobs are told. Boot. */
void jobs_init(void);
