/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parking all other CPUs, to change what they may be reading, and the registers of a stopped CPU.
 * For code that changes watches, sites and events: core/breakpoint, core/tracepoint, core/event.
 * The registers are for code that shows them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regs;

/*
 * Stops all other CPUs by an NMI until arch_cpus_release, also where their interrupts are off. A
 * CPU stops only outside of debug traps, at a point where `may`, which it calls in the NMI,
 * confirms that no operation is in progress that the caller may change. The caller's interrupts are
 * off until the release. Calls may be nested. False if a CPU, *absent, does not answer within two
 * seconds, in which a stop of the whole machine does not count: then all continue to run. Task
 * context; the caller may take no lock in between, as a stopped CPU may hold it.
 */
bool arch_cpus_park(unsigned *absent);
void arch_cpus_release(void);
void arch_set_may_park(bool (*may)(void));

/*
 * The registers at which a CPU is stopped, for whatever reason, or is in a debugger's stop, which
 * may change them; NULL if it runs. They stay valid as long as the caller keeps the CPU stopped.
 * Any context.
 */
struct regs *arch_stopped_regs(unsigned cpu);
