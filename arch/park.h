/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stopping all other CPUs for a change of what they may be looking at, and what a CPU that stands
 * still was interrupted at. For code that changes watches, sites and events: core/breakpoint,
 * core/tracepoint, core/event. The registers are for code that shows them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regs;

/*
 * Stops all other CPUs by an NMI until arch_cpus_release, also where their interrupts are off. A
 * CPU stops outside of debug traps, and where `may`, which it calls in the NMI, says that it is in
 * the middle of nothing that the caller may change. The caller's interrupts are off until the
 * release. Calls may be nested. False if a CPU, *absent, does not answer within two seconds: then
 * all run on. Task context; the caller may take no lock in between, as a stopped CPU may hold it.
 */
bool arch_cpus_park(unsigned *absent);
void arch_cpus_release(void);
void arch_set_may_park(bool (*may)(void));

/*
 * What a CPU stands at that stands still, for whatever reason, or is in a debugger's stop, which
 * may change them; NULL if it runs. They stay as long as the caller is the reason. Any context.
 */
struct regs *arch_stopped_regs(unsigned cpu);
