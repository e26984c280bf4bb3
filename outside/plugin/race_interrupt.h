/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Races of a CPU's code with the handlers of devices' interrupts on that CPU: the code has
 * accessed memory, the interrupt has come, the handler has accessed the same bytes, and one of the
 * two writes. On one CPU that is wrong only if it matters to the code: told is a value that is
 * lost, or half of one. Known from QEMU 9.2 on. Called by race.c, race_watch.c and judges.c.
 *
 * Interrupts had to be on just after the access, so an instruction that may turn them on ends the
 * time in which one is waited for, as does another access of the code to the same bytes.
 */
#pragma once

#include <stdbool.h>

#include "outside/plugin/race_recent.h"

enum { RACE_INTERRUPT_KNOWN = QEMU_API >= 4 };

/* `cpus`: the most that the machine may have. False: no memory. */
bool race_interrupt_begin(unsigned cpus);

/* In the CPU's thread. The rest: with the plugin's lock, too. */

/* True while a handler runs on the CPU. */
bool race_interrupt_handles(unsigned cpu);

/* True if an interrupt is waited for: the code's accesses, and what may turn interrupts on. */
bool race_interrupt_waits(unsigned cpu);
void race_interrupt_access(unsigned cpu, const struct race_access *access);
void race_interrupt_opens(unsigned cpu);

/* The CPU has stopped just after an access, and continues. */
void race_interrupt_expect(unsigned cpu);

/* An interrupt has come, `device`: of a device, in the kernel. What runs may be something else. */
void race_interrupt_comes(unsigned cpu, bool device);
void race_interrupt_switches(unsigned cpu);
