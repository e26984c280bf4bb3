/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way of a hit from the tracepoint to who listens, and turning sites on and off. tracepoint_hit
 * runs in whatever context the tracepoint stands in; the rest in task context.
 *
 * A hit takes no lock. It turns interrupts off, so that on one CPU only a debug trap or an NMI can
 * come between: contexts are told apart by arch_trap_depth, and what hits while its own context is
 * recording is part of that recording.
 */
#include "core/perf/tracepoint.h"

#include "core/cpus.h"
#include "core/sched/preempt.h"
#include "core/task.h"

#define DEPTHS 3 /* task or interrupt, debug trap, NMI */

/* Weak: there may be none. */
extern const struct arch_site __start_tracepoint_sites[] __attribute__((weak));
extern const struct arch_site __stop_tracepoint_sites[] __attribute__((weak));

static bool recording[ARCH_CPUS_MAX][DEPTHS]; /* [owning CPU] a hit of this context is under way */
static uint64_t nested[ARCH_CPUS_MAX];        /* [owning CPU] */

/*
 * Of the place that called the function whose frame that is. General registers stay as they are:
 * who wants them has them from the thunk, and to clear them for all others would be a quarter of a
 * hit.
 */
static void take_registers(struct regs *regs, const void *frame, const void *return_address,
                           uint64_t flags)
{
    regs->ip = (uintptr_t)return_address;
    regs->cs = KERNEL_CODE_SELECTOR;
    regs->flags = flags & ~FLAGS_FIXED;
    regs->sp = (uintptr_t)frame + 2 * sizeof(uint64_t);
    regs->ss = KERNEL_DATA_SELECTOR;
    regs->bp = *(const uint64_t *)frame;
    regs->vector = REGS_REWOUND;
}

static inline void tell_probes(const struct tracepoint *tracepoint, struct tracepoint_raw *raw,
                               const struct regs *regs, uint64_t flags, unsigned cpu)
{
    uint64_t ids = task_ids[cpu];

    raw->head = (struct tracepoint_head){
        .common_type = tracepoint->id,
        .common_flags = flags & FLAGS_INTERRUPT ? 0 : TRACEPOINT_IRQS_OFF,
        .common_preempt_count = (uint8_t)preemption[cpu].off,
        .common_pid = (int32_t)(ids >> 32),
        .common_tgid = (int32_t)ids,
    };
    for (struct tracepoint_probe *probe = tracepoint->probes; probe; probe = probe->next)
        probe->hit(probe, raw, regs);
}

static inline void tell_place(const struct tracepoint *tracepoint, struct tracepoint_raw *raw,
                              const void *frame, const void *return_address, uint64_t flags,
                              unsigned cpu)
{
    const struct regs *regs = arch_thunk_registers(return_address, frame);
    struct regs own;

    if (!regs) {
        take_registers(&own, frame, return_address, flags);
        regs = &own;
    }
    tell_probes(tracepoint, raw, regs, flags, cpu);
}

/* Whatever is hit between these two in the same context is nested. False: this hit is. */
static inline bool recording_begins(unsigned cpu, bool *busy)
{
    if (__builtin_expect(*busy, false)) {
        local_increment(&nested[cpu]);
        return false;
    }
    *busy = true;
    local_barrier();
    return true;
}

static inline void recording_ends(bool *busy)
{
    local_barrier();
    *busy = false;
}

void tracepoint_hit(const struct tracepoint *tracepoint, struct tracepoint_raw *raw,
                    const void *frame, const void *return_address)
{
    uint64_t flags = arch_irq_save();
    unsigned cpu = arch_cpu_id();
    bool *busy = &recording[cpu][arch_trap_depth()];

    if (recording_begins(cpu, busy)) {
        tell_place(tracepoint, raw, frame, return_address, flags, cpu);
        recording_ends(busy);
    }
    arch_irq_restore(flags);
}

void tracepoint_hit_at(const struct tracepoint *tracepoint, struct tracepoint_raw *raw,
                       const struct regs *regs)
{
    uint64_t flags = arch_irq_save();
    unsigned cpu = arch_cpu_id();
    bool *busy = &recording[cpu][arch_trap_depth()];

    if (recording_begins(cpu, busy)) {
        tell_probes(tracepoint, raw, regs, regs->flags, cpu);
        recording_ends(busy);
    }
    arch_irq_restore(flags);
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

/* Every site of the tracepoint, in all the functions that it was inlined into. */
static int set_sites(const struct tracepoint *tracepoint, bool on, struct refusal *why)
{
    for (const struct arch_site *site = __start_tracepoint_sites; site < __stop_tracepoint_sites;
         site++)
        if (site->owner == tracepoint && arch_site_set(site, on) != 0)
            return refuse(why, EINVAL, "%s: neither its nop nor its jump stands at 0x%lx",
                          tracepoint->full_name, (unsigned long)site->address);
    return 0;
}

/* All registers are saved as long as anybody wants them. */
static void choose_call(struct tracepoint *tracepoint)
{
    bool registers = false;

    for (const struct tracepoint_probe *probe = tracepoint->probes; probe; probe = probe->next)
        registers |= probe->registers;
    *tracepoint->call = registers ? tracepoint->with_registers : tracepoint->plain;
}

static struct tracepoint_probe **find_link(struct tracepoint *tracepoint,
                                           const struct tracepoint_probe *probe)
{
    struct tracepoint_probe **link = &tracepoint->probes;

    while (*link && *link != probe)
        link = &(*link)->next;
    return link;
}

int tracepoint_listen(struct tracepoint *tracepoint, struct tracepoint_probe *probe,
                      struct refusal *why)
{
    int error = cpus_park(why);

    if (error)
        return error;
    probe->next = NULL;
    tracepoint->id = tracepoint_id(tracepoint);
    *find_link(tracepoint, NULL) = probe; /* the last, so that events hit in the order they came */
    choose_call(tracepoint);
    error = set_sites(tracepoint, true, why);
    if (error)
        tracepoint_leave(tracepoint, probe);
    cpus_release();
    return error;
}

/* A site that cannot be turned off leads to no probes. */
void tracepoint_leave(struct tracepoint *tracepoint, struct tracepoint_probe *probe)
{
    struct tracepoint_probe **link;

    cpus_park_surely();
    link = find_link(tracepoint, probe);
    if (*link)
        *link = probe->next;
    choose_call(tracepoint);
    if (!tracepoint->probes)
        set_sites(tracepoint, false, NULL);
    cpus_release();
}
