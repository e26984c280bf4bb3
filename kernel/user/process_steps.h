/* SPDX-License-Identifier: BSD-2-Clause */
/* Steps programs in user mode to record their branches (docs/sources.md). */
#pragma once

/* Enables the stepping of programs. Boot. */
void process_steps_init(void);
