/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs whose branches are recorded are stepped in user mode: which thread, for how long, and
 * what each step was. Whether a thread's are wanted is core/event/source_branches.h's word.
 * docs/sources.md.
 */
#pragma once

/* From here on programs may be stepped. Boot. */
void process_steps_init(void);
