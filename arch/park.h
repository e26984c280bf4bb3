/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parking all other CPUs in order to change data they may be reading, and the registers of a
 * stopped CPU. Parking is for code that changes watches, sites and events: core/breakpoint,
 * core/tracepoint, core/event. The registers are for code that displays them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regs;

/*
 * Stops all other CPUs by NMI, even if their interrupts are off, until arch_cpus_release. A CPU
 * stops only outside of debug traps, at a point where `may`, which it calls in the NMI, confirms
 * that no operation is in progress that the caller may change. The caller's interrupts stay off
 * until the release. Calls may be nested. False if CPU *absent does not answer within two seconds,
 * not counting any time during which the whole machine was stopped; then all CPUs continue to run.
 * Task context; the caller may take no lock in between, as a stopped CPU may hold it.
 */
bool arch_cpus_park(unsigned *absent);
void arch_cpus_release(void);
void arch_set_may_park(bool (*may)(void));

/*
 * The registers at which a CPU is stopped for any reason; in a debugger's stop, the debugger may
 * change them. NULL if the CPU runs. They stay valid while the caller keeps the CPU stopped. Any
 * context.
 */
struct regs *arch_stopped_regs(unsigned cpu);
