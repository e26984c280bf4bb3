/* SPDX-License-Identifier: BSD-2-Clause */
/* The periodic interrupt of each CPU, and all who live by it. */
#pragma once

/* The boot CPU's begins, and each CPU's that starts later. Boot, interrupts off. */
void timer_begin(void);
