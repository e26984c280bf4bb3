/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lock of all state that QEMU's threads share, one per CPU with thread=multi. A CPU's own state
 * and its current stack need none (follow.h, stack.h).
 */
#pragma once

/* With one CPU there is no lock. */
void locks_begin(unsigned cpus);

void locks_take(void);
void locks_give(void);
