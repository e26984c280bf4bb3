/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distinguishes QEMU's own emulation from other machines. Must not be called in traps: it is slow.
 */
#include "arch/cpu.h"
#include "arch/step.h"
#include "arch/watch.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/debug/report.h"

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

/* --- Traits that no machine reports: probed. --- */

static unsigned probe_hits; /* [the CPU that probes, and its traps] */

static void probe_hit(unsigned fired, struct regs *regs)
{
    (void)fired, (void)regs;
    probe_hits++;
}

#define PROBE_WATCHED 8

static uint8_t probe_bytes[192] __attribute__((aligned(64)));
static uint8_t *const probe_middle = probe_bytes + sizeof(probe_bytes) / 2;

/* Returns the hits of the middle bytes; 0 also if no watch could be armed, inside a trap. */
static unsigned probe(enum arch_access kind, void (*access)(void))
{
    const struct arch_watch watch = {(uintptr_t)probe_middle, PROBE_WATCHED, kind};
    uint64_t flags = arch_irq_save();
    arch_watch_handler *handler = debugreg_exchange_fired(probe_hit);

    probe_hits = 0;
    arch_watch_disarm();
    arch_watch_arm(&watch, 1);
    access();
    arch_watch_arm(&watch, 0); /* also for CPUs that start later */
    debugreg_exchange_fired(handler);
    arch_irq_restore(flags);
    return probe_hits;
}

/* Iterations over several cache lines, which processors may treat as one group. */
static void store_repeatedly(void)
{
    uint8_t *to = probe_bytes;
    uint64_t count = sizeof(probe_bytes);

    __asm__ volatile("rep stosb" : "+D"(to), "+c"(count) : "a"(0) : "memory");
}

static void store_beside(void)
{
    __asm__ volatile("movq $0, (%0)" : : "r"(probe_middle + PROBE_WATCHED + 1) : "memory");
}

/* QEMU 7.2 with a thread for each CPU loses this hit, or reports it twice to a write watch. */
static void exchange(void)
{
    uint64_t value = 0;

    __asm__ volatile("xchgq %0, (%1)" : "+r"(value) : "r"(probe_middle) : "memory");
}

static enum { NOT_TRIED, EACH, GROUPS } iterations; /* written with all other CPUs parked */
static bool beside, miscounts_locked;               /* likewise */

void arch_watch_probe(void)
{
    unsigned hits = iterations == NOT_TRIED ? probe(ARCH_WRITE, store_repeatedly) : 0;

    if (!hits)
        return;
    beside = probe(ARCH_WRITE, store_beside) > 0;
    miscounts_locked = probe(ARCH_READ_WRITE, exchange) != 1;
    iterations = hits < PROBE_WATCHED ? GROUPS : EACH;
}

bool arch_watch_groups(void)
{
    return iterations != EACH;
}

bool arch_watch_reports_beside(void)
{
    return beside;
}

bool arch_watch_miscounts_locked(void)
{
    return miscounts_locked;
}
