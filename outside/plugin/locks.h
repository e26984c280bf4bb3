/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Locks between QEMU's threads, one per CPU with thread=multi. A CPU's own lock guards state that
 * no other CPU changes: its position and current stack. All locks together guard the shared state.
 * Called by outside/plugin/run.c and translate.c.
 *
 * A thread that holds its CPU's own lock takes no other. To take all, a thread takes `first` before
 * them.
 */
#pragma once

/* With one CPU there is no lock. */
void locks_begin(unsigned cpus);

void locks_take_own(unsigned cpu);
void locks_give_own(unsigned cpu);

void locks_take_all(void);
void locks_give_all(void);
