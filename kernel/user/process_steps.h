/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steps programs in user mode to record their branches: which thread, for how long, and what each
 * step was. core/event/source_branches.h decides whether a thread's branches are wanted. See
 * docs/sources.md.
 */
#pragma once

/* Enables the stepping of programs. Boot. */
void process_steps_init(void);
