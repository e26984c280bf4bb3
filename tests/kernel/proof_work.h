/* SPDX-License-Identifier: BSD-2-Clause */
/* The work to be stepped: see proof_work.c. Task context. */
#pragma once

/* Before the work: makes a recording to report on. Returns 0, or a negative errno. */
int work_prepare(void);

/* They end once proof_wants_more() is false, but not before each piece was done once. */
void work_all(void);
void work_short(void);

/* How often the last one called shapes_run. */
unsigned work_shapes(void);
