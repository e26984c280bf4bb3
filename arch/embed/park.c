/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parks the other CPUs of another kernel, which interrupts them: each waits in pitot_stand until
 * the release, and then loads what has changed in the debug registers. Contexts: arch/park.h;
 * pitot_stand in an interrupt.
 */
#include "arch/park.h"

#include "arch/cpu.h"
#include "arch/embed.h"
#include "arch/x86_64/cpu/check.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/memory/sections.h"
#include "arch/x86_64/smp/patience.h"
#include "core/host.h"

#define ANSWER_NS 2000000000ull

NOWATCH_DATA static struct {
    uint32_t round; /* odd: the others are to stand; written by the CPU that parks */
    unsigned depth; /* nesting; written by the CPU that parks */
    uint64_t flags; /* that CPU's flags, before the outermost call */
} parking;

/* [owning CPU] */
NOWATCH_DATA static uint32_t standing[ARCH_CPUS_MAX]; /* the round that it stands for; 0: none */
static const char *gate_wrong[ARCH_CPUS_MAX];         /* why its debug traps miss Pitot */

/* Pairs with the loads in await and pitot_stand. */
static void store(uint32_t *to, uint32_t value)
{
    __atomic_store_n(to, value, __ATOMIC_RELEASE);
}

static uint32_t load(const uint32_t *from)
{
    return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

/* Waits until the other CPUs stand for `round`. Returns one that does not, or ARCH_NO_CPU. */
static unsigned await(uint32_t round)
{
    struct patience patience;

    patience_begin(&patience, ANSWER_NS, arch_clock_ns());
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        while (cpu != arch_cpu_id() && load(&standing[cpu]) != round) {
            if (patience_is_over(&patience, arch_clock_ns()))
                return cpu;
            arch_relax();
        }
    return ARCH_NO_CPU;
}

/* The CPUs that have answered go on at once, also one that answers later. */
static bool stop_others(unsigned *absent)
{
    store(&parking.round, parking.round + 1);
    host.interrupt_others();
    *absent = await(parking.round);
    if (*absent == ARCH_NO_CPU)
        return true;
    store(&parking.round, parking.round + 1);
    return false;
}

bool arch_cpus_park(unsigned *absent)
{
    uint64_t flags;

    *absent = ARCH_NO_CPU;
    if (parking.depth > 0) {
        parking.depth++;
        return true;
    }
    flags = arch_irq_save();
    /* First, as CPUs that share an IDT would read the gate while another writes it. */
    gate_wrong[arch_cpu_id()] = arch_embed_gate_take();
    if (ARCH_CPUS_MAX > 1 && arch_cpus() > 1 && !stop_others(absent)) {
        arch_irq_restore(flags);
        return false;
    }
    parking.depth = 1;
    parking.flags = flags;
    return true;
}

/* In the next round a CPU may stand only after it has left this one. */
void arch_cpus_release(void)
{
    arch_check(parking.depth > 0);
    if (--parking.depth > 0)
        return;
    if (ARCH_CPUS_MAX > 1 && arch_cpus() > 1) {
        store(&parking.round, parking.round + 1);
        for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
            while (load(&standing[cpu]))
                arch_relax();
    }
    arch_irq_restore(parking.flags);
}

bool arch_park_is_changing(void)
{
    return parking.depth > 0;
}

void pitot_stand(void)
{
    uint32_t round = load(&parking.round);
    unsigned cpu;

    if (!(round & 1)) /* it has come too late */
        return;
    cpu = arch_cpu_id();
    gate_wrong[cpu] = arch_embed_gate_take();
    cpu_write_dr7(DR7_OFF); /* what hits read changes from now on */
    store(&standing[cpu], round);
    while (load(&parking.round) == round)
        arch_relax();
    debugreg_load();
    store(&standing[cpu], 0);
}

const char *arch_embed_gates_wrong(unsigned *cpu)
{
    for (*cpu = 0; *cpu < arch_cpus(); ++*cpu)
        if (gate_wrong[*cpu])
            return gate_wrong[*cpu];
    return NULL;
}

const char *arch_embed_try_cpus(unsigned *cpu)
{
    if (!arch_cpus_park(cpu))
        return "it does not answer interrupt_others by pitot_stand";
    arch_cpus_release();
    return arch_embed_gates_wrong(cpu);
}
