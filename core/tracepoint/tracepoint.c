/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Passes hits to the probes (tracepoint_hit, in the tracepoint's context, which may be any), and
 * turns sites on and off (in task context).
 *
 * A hit takes no lock. Its gate has turned interrupts off, so only a debug trap or an NMI can
 * interrupt it; arch_trap_depth distinguishes these contexts. A hit in a context that is recording
 * is caused by that recording, so it is only counted. A probe that wants the record makes it
 * directly where it is needed.
 */
#include "core/tracepoint/tracepoint.h"

#include "arch/local.h"
#include "core/lib/assert.h"
#include "core/lib/cpus.h"
#include "core/task.h"

#define DEPTHS 3 /* task or interrupt, debug trap, NMI */

/* Weak: there may be none. */
extern const struct arch_site __start_pitot_sites[] __attribute__((weak));
extern const struct arch_site __stop_pitot_sites[] __attribute__((weak));

static bool recording[ARCH_CPUS_MAX][DEPTHS]; /* [owning CPU] */
static uint64_t nested[ARCH_CPUS_MAX];        /* [owning CPU] */

static inline void deliver(struct arch_gated *gated, const struct arch_place *place,
                           uint64_t *argument, const struct regs *regs)
{
    /* The gate was given the tracepoint. */
    const struct pitot_tracepoint *tracepoint = (const struct pitot_tracepoint *)gated;
    unsigned cpu = arch_cpu_id();
    bool *busy = &recording[cpu][arch_trap_depth()];
    struct trace_hit hit; /* `own` is not set: few probes need it */

    __asm__("" : "+r"(busy)); /* keeps one register, not those it is computed from */
    if (__builtin_expect(*busy, false)) {
        local_increment(&nested[cpu]);
        return;
    }
    *busy = true;
    local_barrier();
    hit.tracepoint = tracepoint;
    hit.place = place;
    hit.argument = argument;
    hit.regs = regs;
    hit.ids = task_ids[cpu];
    hit.cpu = cpu;
    hit.late_found = false;
    for (struct tracepoint_probe *probe = tracepoint->probes; probe; probe = probe->next)
        probe->hit(probe, &hit);
    local_barrier();
    *busy = false;
}

void tracepoint_hit(struct arch_gated *gated, struct arch_place *place, const struct regs *all)
{
    deliver(gated, place, place->argument, all);
}

void tracepoint_hit_at(struct arch_gated *gated, struct arch_place *place, const struct regs *all)
{
    const struct regs *given = (const struct regs *)place->argument[1];

    deliver(gated, place, (uint64_t *)place->argument[0], given ? given : all);
}

bool tracepoint_is_recording(unsigned cpu)
{
    const volatile bool *busy = recording[cpu];

    return busy[0] || busy[1] || busy[2];
}

uint64_t tracepoint_nested(void)
{
    uint64_t sum = 0;

    for (unsigned cpu = 0; cpu < ARCH_CPUS_MAX; cpu++)
        sum += local_load(&nested[cpu]);
    return sum;
}

/* A tracepoint has a site in each function that it was inlined into. */
static int set_sites(const struct pitot_tracepoint *tracepoint, bool on, struct refusal *why)
{
    for (const struct arch_site *site = __start_pitot_sites; site < __stop_pitot_sites; site++)
        if (site->owner == tracepoint && arch_site_set(site, on) != 0)
            return refuse(why, EINVAL, "%s: the bytes at 0x%lx are neither its nop nor its jump",
                          tracepoint->full_name, (unsigned long)site->address);
    return 0;
}

/* All registers are saved if any probe wants them. */
static void choose_gate(struct pitot_tracepoint *tracepoint)
{
    bool registers = false;

    for (const struct tracepoint_probe *probe = tracepoint->probes; probe; probe = probe->next)
        registers |= probe->registers;
    tracepoint->gate = registers ? arch_gate_registers : arch_gate;
}

static struct tracepoint_probe **find_link(struct pitot_tracepoint *tracepoint,
                                           const struct tracepoint_probe *probe)
{
    struct tracepoint_probe **link = (struct tracepoint_probe **)&tracepoint->probes;

    while (*link && *link != probe)
        link = &(*link)->next;
    return link;
}

int tracepoint_listen(struct pitot_tracepoint *tracepoint, struct tracepoint_probe *probe,
                      struct refusal *why)
{
    int error = cpus_park(why);

    if (error)
        return error;
    assert(probe->hit && !*find_link(tracepoint, probe)); /* twice would make the list circular */
    probe->next = NULL;
    tracepoint->id = tracepoint_id(tracepoint);
    tracepoint->enter =
        (void (*)(void))(tracepoint->in_memory ? tracepoint_hit_at : tracepoint_hit);
    *find_link(tracepoint, NULL) = probe; /* at the end: probes are called in this order */
    choose_gate(tracepoint);
    error = set_sites(tracepoint, true, why);
    if (error)
        tracepoint_leave(tracepoint, probe);
    cpus_release();
    return error;
}

/* A site that cannot be turned off reaches no probe. */
void tracepoint_leave(struct pitot_tracepoint *tracepoint, struct tracepoint_probe *probe)
{
    struct tracepoint_probe **link;

    cpus_park_surely();
    link = find_link(tracepoint, probe);
    assert(*link); /* otherwise the probe listens to another tracepoint */
    *link = probe->next;
    choose_gate(tracepoint);
    if (!tracepoint->probes)
        set_sites(tracepoint, false, NULL);
    cpus_release();
}
