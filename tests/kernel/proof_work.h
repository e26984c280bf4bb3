/* SPDX-License-Identifier: BSD-2-Clause */
/* What is stepped through: see proof_work.c. Task context. */
#pragma once

/* Before: makes a recording, to be reported. 0, or a negative errno. */
int work_prepare(void);

/* These end when proof_wants_more() is false, but not before each piece was done once. */
void work_all(void);
void work_short(void);

/* How often shapes_run was called in the last of them. */
unsigned work_shapes(void);
