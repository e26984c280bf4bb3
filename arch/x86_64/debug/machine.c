/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distinguishes QEMU's own emulation from other machines. Must not be called in traps: it is slow.
 */
#include "arch/cpu.h"
#include "arch/step.h"
#include "arch/watch.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/debug/group.h"

#define CPUID_HYPERVISOR     0x40000000u
#define CPUID_1_ECX_EMULATED (1u << 31)
#define TCG                  0x54474354u /* "TCGT", the first byte lowest */

/* In a step over a watched access TCG traps twice, into the same frame (docs/breakpoints.md). */
static bool is_tcg(void)
{
    return cpu_id(1, 0).ecx & CPUID_1_ECX_EMULATED && cpu_id(CPUID_HYPERVISOR, 0).ebx == TCG;
}

bool arch_step_excludes_watches(void)
{
    return is_tcg();
}

bool arch_watch_reports_all(void)
{
    return !is_tcg();
}

/* --- Groups of iterations: probed, as no machine reports them. --- */

static unsigned probe_hits; /* [the CPU that probes, and its traps] */

static void probe_hit(unsigned fired, struct regs *regs)
{
    (void)fired, (void)regs;
    probe_hits++;
}

#define PROBE_WATCHED 8

/*
 * Runs iterations over several cache lines, which processors may treat as one group, with watched
 * bytes in the middle. Returns false if no watch could be armed, inside a trap.
 */
static bool probe(void)
{
    static uint8_t bytes[192] __attribute__((aligned(64)));
    const struct arch_watch watch = {(uintptr_t)bytes + sizeof(bytes) / 2, PROBE_WATCHED,
                                     ARCH_WRITE};
    uint64_t flags = arch_irq_save(), count = sizeof(bytes);
    arch_watch_handler *handler = debugreg_exchange_fired(probe_hit);
    uint8_t *to = bytes;

    probe_hits = 0;
    arch_watch_disarm();
    arch_watch_arm(&watch, 1);
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(0) : "memory");
    arch_watch_disarm();
    debugreg_exchange_fired(handler);
    arch_irq_restore(flags);
    return probe_hits > 0;
}

static enum { NOT_TRIED, EACH, GROUPS } iterations; /* written with all other CPUs parked */

bool arch_watch_groups(void)
{
    if (iterations == NOT_TRIED && probe())
        iterations = probe_hits < PROBE_WATCHED ? GROUPS : EACH;
    return group_is_possible();
}

bool group_is_possible(void)
{
    return iterations != EACH;
}
