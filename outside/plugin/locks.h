/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What keeps QEMU's threads apart, one for each CPU of the machine with thread=multi. A CPU's own
 * lock guards what no other CPU changes meanwhile: where it is, and the stack that it is on. All of
 * them together guard what is shared. Called by outside/plugin/run.c and translate.c.
 *
 * A thread that holds its own lock takes no other; one that takes all takes the first one before
 * them.
 */
#pragma once

/* With one CPU there is no lock. */
void locks_begin(unsigned cpus);

void locks_take_own(unsigned cpu);
void locks_give_own(unsigned cpu);

void locks_take_all(void);
void locks_give_all(void);
