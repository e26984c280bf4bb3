/* SPDX-License-Identifier: BSD-2-Clause */
/* Parking all other CPUs to change data that they read; and a stopped CPU's registers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regs;

/*
 * Stops all other CPUs by NMI, even with interrupts off, until arch_cpus_release. A CPU stops only
 * outside of debug traps, where `may`, called in the NMI, confirms that it uses nothing that the
 * caller may change. Until the release the caller's interrupts are off, and it may take no lock, as
 * a stopped CPU may hold it. Calls nest. False: CPU *absent has not answered within two seconds,
 * not counting stops of the whole machine; all CPUs continue. Task context.
 */
bool arch_cpus_park(unsigned *absent);
void arch_cpus_release(void);
void arch_set_may_park(bool (*may)(void));

/* A stopped CPU's registers, while the caller keeps it stopped; NULL: it runs. Any context. */
struct regs *arch_stopped_regs(unsigned cpu);
