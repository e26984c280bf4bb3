/* SPDX-License-Identifier: BSD-2-Clause */
/* Parks all other CPUs to change data that they read, and finds a stopped CPU's registers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regs;

/*
 * Stops all other CPUs until arch_cpus_release: by NMI, even with interrupts off, or in another
 * kernel by an interrupt of its own. A CPU stops only outside of debug traps, and only where `may`,
 * called in the NMI, confirms that it uses nothing that the caller may change. Until the release
 * the caller's interrupts are off, and it may not take a lock, which a stopped CPU may hold. Calls
 * nest. Returns false if a CPU (stored in *absent) has not answered within two seconds, not
 * counting stops of the whole machine; all CPUs then continue. Task context.
 */
bool arch_cpus_park(unsigned *absent);
void arch_cpus_release(void);
void arch_set_may_park(bool (*may)(void));

/* Registers of a stopped CPU while the caller keeps it stopped; NULL if it runs. Any context. */
struct regs *arch_stopped_regs(unsigned cpu);
