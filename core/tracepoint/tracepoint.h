/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints: places in the kernel's code that report each hit while a probe listens, and are
 * otherwise a five-byte nop (docs/tracepoints.md). This header is for code that listens to them or
 * looks them up; core/pitot_trace.h declares, defines and raises them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

#include "arch/cpu.h"
#include "arch/regs.h"
#include "arch/site.h"
#include "arch/snapshot.h"
#include "core/lib/refusal.h"
#include "core/task.h"

#define TRACEPOINT_TEXT_SIZE  16
#define TRACEPOINT_FIELDS_MAX 9
#define TRACEPOINT_RECORD_MAX PITOT_RECORD_MAX

/* The beginning of every record: Linux' common fields, and the thread group, as in 2009. */
struct tracepoint_head {
    uint16_t common_type; /* the tracepoint's id */
    uint8_t common_flags; /* TRACEPOINT_* */
    uint8_t common_preempt_count;
    int32_t common_pid;
    int32_t common_tgid;
};

/* common_flags, Linux' TRACE_FLAG_*. 0x10 is never set, as there are no softirqs. */
#define TRACEPOINT_IRQS_OFF     0x01 /* interrupts were off */
#define TRACEPOINT_NEED_RESCHED 0x04 /* a switch was pending */
#define TRACEPOINT_HARDIRQ      0x08 /* an interrupt handler was running */

/*
 * The structure is 8-byte aligned and the record follows its 4-byte size, so 8-byte fields lie at a
 * multiple of 8 plus 4.
 */
struct tracepoint_raw {
    uint32_t size;
    struct tracepoint_head head;
};

/* Room for a record of any tracepoint. */
union tracepoint_room {
    struct tracepoint_raw raw;
    uint64_t words[(sizeof(uint32_t) + TRACEPOINT_RECORD_MAX + 7) / 8];
};

enum tracepoint_kind {
    TRACEPOINT_pointer = PITOT_KIND_pointer,
    TRACEPOINT_function = PITOT_KIND_function,
    TRACEPOINT_code = PITOT_KIND_code,
    TRACEPOINT_u32 = PITOT_KIND_u32,
    TRACEPOINT_s32 = PITOT_KIND_s32,
    TRACEPOINT_u64 = PITOT_KIND_u64,
    TRACEPOINT_s64 = PITOT_KIND_s64,
    TRACEPOINT_text = PITOT_KIND_text,
    TRACEPOINT_state = PITOT_KIND_state,
    TRACEPOINT_gfp = PITOT_KIND_gfp,
};

/* One hit, before a record is made from it. Valid until the probes return. */
struct trace_hit {
    const struct pitot_tracepoint *tracepoint;
    const struct arch_place *place;
    uint64_t *argument;      /* a word per field; for a string its address, or NULL */
    const struct regs *regs; /* at the place; NULL: trace_regs fills them in */
    uint64_t ids;            /* task_current_ids() */
    unsigned cpu;
    bool late_found; /* see tracepoint_need_late */
    struct regs own; /* for trace_regs */
};

struct tracepoint_probe;

/* Called at each hit. Any context, interrupts off: must not lock, allocate or fault. */
typedef void tracepoint_probe_hit(struct tracepoint_probe *probe, struct trace_hit *hit);

/* Owned by the caller; must not change while the probe listens. */
struct tracepoint_probe {
    tracepoint_probe_hit *hit;
    bool registers;                /* wants all general registers, not only ip, sp, bp and flags */
    struct tracepoint_probe *next; /* for tracepoint_listen */
};

_Static_assert(sizeof(pitot_as_text) == TRACEPOINT_TEXT_SIZE, "a text's room");
_Static_assert(offsetof(struct pitot_tracepoint, enter) == offsetof(struct arch_gated, enter) &&
                   offsetof(struct pitot_tracepoint, id) ==
                       offsetof(struct pitot_tracepoint, raw_size) + 4 &&
                   offsetof(struct tracepoint_raw, head.common_flags) == 6 &&
                   offsetof(struct tracepoint_raw, head.common_preempt_count) == 7 &&
                   offsetof(struct tracepoint_raw, head.common_pid) == 8,
               "a record begins with two words, the first one's lower half the tracepoint's");

/*
 * Sets up tracepoints without a function that makes records, as other languages define them. Boot.
 * Returns 0, or -EINVAL and the one that cannot be.
 */
int tracepoints_complete(struct refusal *why);

/* --- Listening: task context. --- */

/*
 * What gates call, with interrupts off. tracepoint_hit takes the arguments from the place.
 * tracepoint_hit_at takes them from memory at place->argument[0]; its place->argument[1] points to
 * registers or is NULL.
 */
arch_gated_function tracepoint_hit, tracepoint_hit_at;

/* Returns 0, or -EINVAL and the site whose bytes are neither its nop nor its jump. */
int tracepoint_listen(struct pitot_tracepoint *tracepoint, struct tracepoint_probe *probe,
                      struct refusal *why);
void tracepoint_leave(struct pitot_tracepoint *tracepoint, struct tracepoint_probe *probe);

/* Hits not recorded because their context was recording another hit. Any context. */
uint64_t tracepoint_nested(void);

/* True if that CPU is in a hit; for another CPU the answer may be out of date. Any context. */
bool tracepoint_is_recording(unsigned cpu);

/* --- For probes, while they are called. --- */

/* The registers at the place; the general registers only if the probe wants them. */
static inline const struct regs *trace_regs(struct trace_hit *hit)
{
    if (!hit->regs) {
        regs_at_place(&hit->own, hit->place);
        hit->regs = &hit->own;
    }
    return hit->regs;
}

/*
 * Returns common_flags. `flags`: the flags register of the context that the sample shows;
 * interrupts may have been on there.
 */
static inline uint64_t tracepoint_flags(const struct trace_hit *hit, uint64_t flags)
{
    return (regs_irq_on(flags) ? 0 : TRACEPOINT_IRQS_OFF) |
           (pitot_preemption[hit->cpu].wanted ? TRACEPOINT_NEED_RESCHED : 0) |
           (arch_interrupted() ? TRACEPOINT_HARDIRQ : 0);
}

/*
 * Writes the size and the beginning of a record, in whole words, because each store costs time in a
 * hit.
 */
static inline void tracepoint_begin(const struct trace_hit *hit, uint64_t flags,
                                    struct tracepoint_raw *raw)
{
    uint64_t ids = hit->ids << 32 | hit->ids >> 32; /* in the record the thread's id comes first */
    uint64_t lead;

    __builtin_memcpy(&lead, &hit->tracepoint->raw_size, sizeof(lead));
    lead |= tracepoint_flags(hit, flags) << 48 | (uint64_t)pitot_preemption[hit->cpu].off << 56;
    __builtin_memcpy(raw, &lead, sizeof(lead));
    __builtin_memcpy(&raw->head.common_pid, &ids, sizeof(ids));
}

static inline void tracepoint_copy_text(char *to, const char *from)
{
    pitot_put(to, TRACEPOINT_TEXT_SIZE, (uintptr_t)from);
}

/* Finds the late arguments on the first call. */
static inline void tracepoint_need_late(struct trace_hit *hit)
{
    if (hit->tracepoint->find_late && !hit->late_found) {
        hit->late_found = true;
        hit->tracepoint->find_late(hit->argument);
    }
}

/*
 * Writes every byte of the size and the record, 8-byte aligned, and returns the end, also aligned.
 * Late arguments must have been found. `flags`: see tracepoint_flags.
 */
static inline void *tracepoint_record(const struct trace_hit *hit, uint64_t flags,
                                      struct tracepoint_raw *raw)
{
    const struct pitot_tracepoint *tracepoint = hit->tracepoint;

    tracepoint_begin(hit, flags, raw);
    return tracepoint->make(tracepoint, (char *)&raw->head, hit->argument);
}

/* --- Lookup: any context (core/tracepoint/list.c). --- */

/* Returns NULL unless the id is 1 to tracepoint_count(). */
struct pitot_tracepoint *tracepoint_by_id(uint64_t id);
size_t tracepoint_count(void);

/* Returns NULL if the event is not a tracepoint. */
static inline struct pitot_tracepoint *tracepoint_of_event(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_TRACEPOINT ? tracepoint_by_id(attr->config) : NULL;
}

/* Returns the kernel's system call with this number; NULL if its table has none. */
const struct pitot_call *tracepoint_call(unsigned long number);

uint16_t tracepoint_id(const struct pitot_tracepoint *tracepoint);

/*
 * Returns the next tracepoint in order of full names: the first if `before` is NULL, and NULL after
 * the last.
 */
struct pitot_tracepoint *tracepoint_after(const struct pitot_tracepoint *before);
