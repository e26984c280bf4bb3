/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints: places in the kernel's code that report each hit while a probe listens, and are a
 * nop of five bytes while none does. docs/tracepoints.md gives the reasons.
 *
 * The fields are declared once, in a header beside the code that has the tracepoint, each with its
 * kind, its name, and the part of the line that prints it, with one conversion of that kind:
 *
 *     #define MM_PAGE_FREE_FIELDS(FIELD, of)
 *         FIELD(of, pointer, address, "address=%p")
 *         FIELD(of, u32, order, " order=%u")
 *     TRACEPOINT_DECLARE(mm_page_free, MM_PAGE_FREE_FIELDS);
 *
 * One .c file has TRACEPOINT_DEFINE(kmem, mm_page_free, MM_PAGE_FREE_FIELDS), and the code says
 * TRACE(mm_page_free, address, 4). Up to five fields, of these kinds:
 *
 *     pointer    an address                        %p
 *     function   an address, shown as a symbol     %ps
 *     code       one inside a function, shown as symbol+0x12    %pS
 *     u32 s32    32 bits                           %u %x, %d
 *     u64 s64    64 bits                           %lu %lx, %ld
 *     text       a string, cut after 15 characters; NULL is an empty one    %s
 *     state      a thread's, TRACEPOINT_STATE_*, shown by its letter        %s
 *     gfp        how pages are given out, TRACEPOINT_GFP_*, by its name     %s
 *
 * A tracepoint that stands in a trap's handler and tells of what the trap interrupted is declared
 * and defined by the macros that end in _AT, up to nine fields, and raised by TRACE_ON(SYSTEM_NAME)
 * and TRACE_AT(SYSTEM_NAME, regs, ...): its samples begin at these registers, not at the place with
 * the tracepoint; with NULL for them, at the place after all.
 *
 * From this come the site, the function that makes a record of a hit's arguments, and the
 * description of it that libtraceevent reads (core/tracepoint/format.h). TRACE may stand in any
 * context; its arguments are computed only while a probe listens, and a record is made only for a
 * probe that wants one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/perf_event.h>

#include "arch/cpu.h"
#include "arch/patch.h"
#include "arch/regs.h"
#include "arch/snapshot.h"
#include "core/host.h"
#include "core/lib/refusal.h"

#define TRACEPOINT_TEXT_SIZE  16
#define TRACEPOINT_FIELDS_MAX 9
#define TRACEPOINT_RECORD_MAX 112

/* What every record begins with: Linux' common fields, and the thread group, as in 2009. */
struct tracepoint_head {
    uint16_t common_type; /* the tracepoint's id */
    uint8_t common_flags; /* TRACEPOINT_* */
    uint8_t common_preempt_count;
    int32_t common_pid;
    int32_t common_tgid;
};

/*
 * common_flags, Linux' TRACE_FLAG_*. 0x10, for softirqs, is never set, as there are none: timers'
 * functions run in the timer's interrupt, and other work that was put off in a thread.
 */
#define TRACEPOINT_IRQS_OFF     0x01 /* interrupts were off */
#define TRACEPOINT_NEED_RESCHED 0x04 /* a switch was due, and had to wait */
#define TRACEPOINT_HARDIRQ      0x08 /* an interrupt's handler was running */

/*
 * A record as a sample carries it: the size, then so many bytes, 8-byte aligned together. So fields
 * of eight bytes lie at a multiple of 8 plus 4 there.
 */
struct tracepoint_raw {
    uint32_t size;
    struct tracepoint_head head;
};

/* Room for any. */
union tracepoint_room {
    struct tracepoint_raw raw;
    uint64_t words[(sizeof(uint32_t) + TRACEPOINT_RECORD_MAX + 7) / 8];
};

enum tracepoint_kind {
    TRACEPOINT_pointer,
    TRACEPOINT_function,
    TRACEPOINT_code,
    TRACEPOINT_u32,
    TRACEPOINT_s32,
    TRACEPOINT_u64,
    TRACEPOINT_s64,
    TRACEPOINT_text,
    TRACEPOINT_state,
    TRACEPOINT_gfp,
};

/* The states of the thread that leaves the CPU, numbered as in Linux' sched_switch. */
#define TRACEPOINT_STATE_RUNNABLE 0x00 /* R */
#define TRACEPOINT_STATE_SLEEPING 0x01 /* S */
#define TRACEPOINT_STATE_ENDED    0x10 /* X */

#define TRACEPOINT_GFP_ZERO 0x100 /* Linux' __GFP_ZERO: what is given out is zero */

struct tracepoint_field {
    const char *name;
    const char *print; /* the part of the line, with one conversion */
    enum tracepoint_kind kind;
    uint16_t offset, size; /* in the record, from common_type on */
};

/*
 * One hit, as those who listen see it until they return: what the place has given, before anything
 * is made of it.
 */
struct trace_hit {
    const struct tracepoint *tracepoint;
    const struct arch_place *place;
    uint64_t *argument;      /* a word for each field; of a text where it stands, or NULL */
    const struct regs *regs; /* those that were given, or NULL: trace_regs makes them */
    uint64_t ids;            /* task_current_ids */
    unsigned cpu;
    bool late_found; /* the late arguments have been looked for */
    struct regs own; /* trace_regs' */
};

struct tracepoint_probe;

/* Called at each hit. Any context, interrupts off: no lock, no allocation, no fault. */
typedef void tracepoint_probe_hit(struct tracepoint_probe *probe, struct trace_hit *hit);

/* The caller's memory, which stays as it is while it listens. */
struct tracepoint_probe {
    tracepoint_probe_hit *hit;
    bool registers;                /* wants all general registers, not ip, sp, bp, flags alone */
    struct tracepoint_probe *next; /* tracepoint_listen's */
};

/*
 * [I] constant, [T] task context with all CPUs parked
 */
struct tracepoint {
    struct arch_gated gated;              /* [I] what the gate calls: tracepoint_hit, or _at */
    arch_gate_function *gate;             /* [T] what a site that is on calls; NULL at first */
    const char *full_name;                /* [I] "lock:lock_acquire" */
    const char *name;                     /* [I] "lock_acquire", the end of it */
    const struct tracepoint_field *field; /* [I] */
    unsigned field_count;                 /* [I] */
    /* What the record's first word begins with; the upper two bytes are 0. */
    uint32_t raw_size; /* [I] bytes of the record, padding included */
    uint16_t id;       /* [T] from 1; 0 until a probe has listened */
    uint16_t none;     /* [I] */
    /* [I] Writes the record after its head, each byte of it; returns its end. Any context. */
    char *(*make)(const struct tracepoint *tracepoint, char *restrict record,
                  const uint64_t *restrict argument);
    /*
     * [I] Finds the arguments from `late` on, which cost something; NULL: there are none. In the
     * context of the hit, interrupts off.
     */
    void (*find_late)(struct trace_hit *hit);
    unsigned late;                   /* [I] */
    bool weighted;                   /* [I] a sample stands for what its hits say, not for hits: */
    unsigned weight;                 /* [I] ... which argument says it, a u64 */
    struct tracepoint_probe *probes; /* [T] read by hits */
};

_Static_assert(offsetof(struct tracepoint, id) == offsetof(struct tracepoint, raw_size) + 4 &&
                   offsetof(struct tracepoint_raw, head.common_flags) == 6 &&
                   offsetof(struct tracepoint_raw, head.common_preempt_count) == 7 &&
                   offsetof(struct tracepoint_raw, head.common_pid) == 8,
               "a record begins with two words, the first one's lower half the tracepoint's");

/* --- Listening: task context. --- */

/* Turns the sites on, with the first probe. 0, or -EINVAL and which site is not as it was made. */
int tracepoint_listen(struct tracepoint *tracepoint, struct tracepoint_probe *probe,
                      struct refusal *why);
void tracepoint_leave(struct tracepoint *tracepoint, struct tracepoint_probe *probe);

/*
 * Hits that came while this CPU was recording one in the same context: counted, not recorded. Any
 * context.
 */
uint64_t tracepoint_nested(void);

/* That CPU is in the middle of a hit. Any context; of another CPU it tells of a moment ago. */
bool tracepoint_is_recording(unsigned cpu);

/* --- What a hit tells its probes, while they are called. --- */

/* Registers of the place. General ones are not known unless the probe has asked for them. */
static inline const struct regs *trace_regs(struct trace_hit *hit)
{
    if (!hit->regs) {
        regs_at_place(&hit->own, hit->place);
        hit->regs = &hit->own;
    }
    return hit->regs;
}

/*
 * The flags of the context that the sample is of, whose flags register is `flags`: where a trap's
 * handler gives the registers of what the trap interrupted, interrupts may have been on there.
 */
static inline uint64_t tracepoint_flags(const struct trace_hit *hit, uint64_t flags)
{
    return (regs_irq_on(flags) ? 0 : TRACEPOINT_IRQS_OFF) |
           (preemption[hit->cpu].wanted ? TRACEPOINT_NEED_RESCHED : 0) |
           (arch_interrupted() ? TRACEPOINT_HARDIRQ : 0);
}

/* What a record begins with, the size included: in whole words, as a hit pays for each store. */
static inline void tracepoint_begin(const struct trace_hit *hit, uint64_t flags,
                                    struct tracepoint_raw *raw)
{
    uint64_t ids = hit->ids << 32 | hit->ids >> 32; /* in the record the thread comes first */
    uint64_t lead;

    __builtin_memcpy(&lead, &hit->tracepoint->raw_size, sizeof(lead));
    lead |= tracepoint_flags(hit, flags) << 48 | (uint64_t)preemption[hit->cpu].off << 56;
    __builtin_memcpy(raw, &lead, sizeof(lead));
    __builtin_memcpy(&raw->head.common_pid, &ids, sizeof(ids));
}

/* All arguments are there from here on. */
static inline void tracepoint_need_late(struct trace_hit *hit)
{
    if (hit->tracepoint->find_late && !hit->late_found) {
        hit->late_found = true;
        hit->tracepoint->find_late(hit);
    }
}

/*
 * The record, with the size in front of it, 8-byte aligned, each byte written. Returns its end,
 * which is as well aligned. `regs`: trace_regs'.
 */
static inline void *tracepoint_record(struct trace_hit *hit, const struct regs *regs,
                                      struct tracepoint_raw *raw)
{
    const struct tracepoint *tracepoint = hit->tracepoint;

    tracepoint_need_late(hit);
    tracepoint_begin(hit, regs->flags, raw);
    return tracepoint->make(tracepoint, (char *)&raw->head, hit->argument);
}

/* --- Which there are: any context (core/tracepoint/list.c). --- */

/* The tracepoint of this id, 1 to tracepoint_count(); NULL for others. */
struct tracepoint *tracepoint_by_id(uint64_t id);
size_t tracepoint_count(void);

/* The one that an event with these attributes is of; NULL: it is of none. */
static inline struct tracepoint *tracepoint_of_event(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_TRACEPOINT ? tracepoint_by_id(attr->config) : NULL;
}

uint16_t tracepoint_id(const struct tracepoint *tracepoint);

/* The next in order of full names, the first after NULL; NULL after the last. */
struct tracepoint *tracepoint_after(const struct tracepoint *before);

/* --- What the macros below are made of. --- */

/*
 * What gates call, interrupts off: a hit whose arguments are those of the place; and one with
 * arguments in memory, place->argument[0], and perhaps registers of its own, place->argument[1].
 * Weak: code with tracepoints can be linked without tracepoint.c.
 */
__attribute__((weak)) arch_gated_function tracepoint_hit, tracepoint_hit_at;

static inline void tracepoint_copy_text(char *to, const char *from)
{
    unsigned i = 0;

    for (; from && from[i] && i < TRACEPOINT_TEXT_SIZE - 1; i++)
        to[i] = from[i];
    for (; i < TRACEPOINT_TEXT_SIZE; i++)
        to[i] = '\0';
}

#define TRACEPOINT_TYPE_pointer  const volatile void *
#define TRACEPOINT_TYPE_function uintptr_t
#define TRACEPOINT_TYPE_code     uintptr_t
#define TRACEPOINT_TYPE_u32      uint32_t
#define TRACEPOINT_TYPE_s32      int32_t
#define TRACEPOINT_TYPE_u64      uint64_t
#define TRACEPOINT_TYPE_s64      int64_t
#define TRACEPOINT_TYPE_gfp      uint64_t
#define TRACEPOINT_TYPE_state    int64_t
#define TRACEPOINT_TYPE_text     const char *

#define TRACEPOINT_MEMBER_pointer(name)  uint64_t name;
#define TRACEPOINT_MEMBER_function(name) uint64_t name;
#define TRACEPOINT_MEMBER_code(name)     uint64_t name;
#define TRACEPOINT_MEMBER_u32(name)      uint32_t name;
#define TRACEPOINT_MEMBER_s32(name)      int32_t name;
#define TRACEPOINT_MEMBER_u64(name)      uint64_t name;
#define TRACEPOINT_MEMBER_s64(name)      int64_t name;
#define TRACEPOINT_MEMBER_gfp(name)      uint64_t name;
#define TRACEPOINT_MEMBER_state(name)    int64_t name;
#define TRACEPOINT_MEMBER_text(name)     char name[TRACEPOINT_TEXT_SIZE];

/*
 * Each writes a field of one kind, at any address. In registers and on the stack an argument of 32
 * bits has any upper half.
 */
static inline void tracepoint_store_32(char *to, uint64_t argument)
{
    uint32_t value = (uint32_t)argument;

    __builtin_memcpy(to, &value, sizeof(value));
}

static inline void tracepoint_store_64(char *to, uint64_t argument)
{
    __builtin_memcpy(to, &argument, sizeof(argument));
}

static inline void tracepoint_store_text(char *to, uint64_t argument)
{
    tracepoint_copy_text(to, (const char *)argument);
}

#define TRACEPOINT_STORE_pointer  tracepoint_store_64
#define TRACEPOINT_STORE_function tracepoint_store_64
#define TRACEPOINT_STORE_code     tracepoint_store_64
#define TRACEPOINT_STORE_u32      tracepoint_store_32
#define TRACEPOINT_STORE_s32      tracepoint_store_32
#define TRACEPOINT_STORE_u64      tracepoint_store_64
#define TRACEPOINT_STORE_s64      tracepoint_store_64
#define TRACEPOINT_STORE_gfp      tracepoint_store_64
#define TRACEPOINT_STORE_state    tracepoint_store_64
#define TRACEPOINT_STORE_text     tracepoint_store_text

#define TRACEPOINT_MEMBER(of, kind, name, print)    TRACEPOINT_MEMBER_##kind(name)
#define TRACEPOINT_PARAMETER(of, kind, name, print) , TRACEPOINT_TYPE_##kind name
#define TRACEPOINT_ARGUMENT(of, kind, name, print)  (uint64_t) name,
#define TRACEPOINT_INDEX(of, kind, name, print)     TRACEPOINT_INDEX_##of##_##name,
#define TRACEPOINT_DESCRIBE(of, kind, field, print)                                                \
    {#field, print, TRACEPOINT_##kind, offsetof(struct trace_record_##of, field),                  \
     sizeof(((struct trace_record_##of *)NULL)->field)},

/*
 * Fields are of 4 bytes, 8, or 16 that need no alignment: what the compiler leaves in front of one
 * is nothing or the 4 bytes there. So these go to 0 in front of every field of 8, before any field
 * is written; the compiler drops the stores that others write over.
 */
#define TRACEPOINT_CLEAR(of, kind, name, print)                                                    \
    if (_Alignof(__typeof__(((struct trace_record_##of *)NULL)->name)) == 8)                       \
        tracepoint_store_32(record + offsetof(struct trace_record_##of, name) - 4, 0);
#define TRACEPOINT_STORE(of, kind, name, print)                                                    \
    TRACEPOINT_STORE_##kind(record + offsetof(struct trace_record_##of, name),                     \
                            argument[TRACEPOINT_INDEX_##of##_##name]);

#define TRACEPOINT_DECLARE(name, FIELDS)                                                           \
    extern struct tracepoint tracepoint_##name;                                                    \
    typedef void trace_gate_##name(struct arch_gated *gated FIELDS(TRACEPOINT_PARAMETER, name))

/*
 * Raised after a TRACE_ON: it has no site of its own. Inline, so that an interrupt finds the place.
 */
#define TRACEPOINT_DECLARE_AT(system, name, FIELDS)                                                \
    extern struct tracepoint tracepoint_##system##_##name;                                         \
    __attribute__((always_inline)) static inline void trace_##system##_##name(                     \
        const struct regs *regs FIELDS(TRACEPOINT_PARAMETER, system##_##name))                     \
    {                                                                                              \
        uint64_t argument[] = {FIELDS(TRACEPOINT_ARGUMENT, system##_##name)};                      \
                                                                                                   \
        tracepoint_raise(&tracepoint_##system##_##name, argument, regs);                           \
    }                                                                                              \
    extern struct tracepoint tracepoint_##system##_##name

typedef void tracepoint_gate_at(struct arch_gated *gated, uint64_t *argument,
                                const struct regs *regs);

/* A tracepoint whose hits have arguments in memory; `regs` NULL: those of this place. */
__attribute__((always_inline)) static inline void
tracepoint_raise(struct tracepoint *tracepoint, uint64_t *argument, const struct regs *regs)
{
    ((tracepoint_gate_at *)tracepoint->gate)(&tracepoint->gated, argument, regs);
}

/*
 * The record's size: padded so that the size in front of it and the record end on a multiple of 8.
 */
#define TRACEPOINT_RAW_SIZE(end) (((end) + sizeof(uint32_t) + 7) / 8 * 8 - sizeof(uint32_t))

/* The record's structure, and the functions that describe and make it. */
#define TRACEPOINT_RECORD(of, FIELDS)                                                              \
    struct trace_record_##of {                                                                     \
        struct tracepoint_head head;                                                               \
        FIELDS(TRACEPOINT_MEMBER, of)                                                              \
        char end[0];                                                                               \
    };                                                                                             \
    static const struct tracepoint_field trace_fields_##of[] = {FIELDS(TRACEPOINT_DESCRIBE, of)};  \
    enum { FIELDS(TRACEPOINT_INDEX, of) TRACEPOINT_COUNT_##of };                                   \
    _Static_assert(offsetof(struct trace_record_##of, end) <= TRACEPOINT_RECORD_MAX,               \
                   "a sample has room for it");                                                    \
    _Static_assert(TRACEPOINT_COUNT_##of <= TRACEPOINT_FIELDS_MAX, "fields are few");              \
    ARCH_HIT_TEXT static char *trace_make_##of(const struct tracepoint *tracepoint,                \
                                               char *restrict record,                              \
                                               const uint64_t *restrict argument)                  \
    {                                                                                              \
        (void)tracepoint;                                                                          \
        FIELDS(TRACEPOINT_CLEAR, of)                                                               \
        FIELDS(TRACEPOINT_STORE, of)                                                               \
        if (offsetof(struct trace_record_##of, end) % 8 == 0)                                      \
            tracepoint_store_32(record + offsetof(struct trace_record_##of, end), 0);              \
        return record + TRACEPOINT_RAW_SIZE(offsetof(struct trace_record_##of, end));              \
    }                                                                                              \
    _Static_assert(offsetof(struct trace_record_##of, end) % 4 == 0, "one hole, of 4 bytes")

#define TRACEPOINT_ENTRY(of, spelling, spelling_of_name, function, ...)                            \
    struct tracepoint tracepoint_##of = {                                                          \
        .gated = {function},                                                                       \
        .full_name = (spelling),                                                                   \
        .name = (spelling_of_name),                                                                \
        .field = trace_fields_##of,                                                                \
        .field_count = TRACEPOINT_COUNT_##of,                                                      \
        .raw_size = TRACEPOINT_RAW_SIZE(offsetof(struct trace_record_##of, end)),                  \
        .make = trace_make_##of,                                                                   \
        __VA_ARGS__};                                                                              \
    __attribute__((section("tracepoints"),                                                         \
                   used)) static struct tracepoint *const trace_entry_##of = &tracepoint_##of

/* Further arguments are members of struct tracepoint, with their values. */
#define TRACEPOINT_DEFINE(system, tracepoint_name, FIELDS, ...)                                    \
    TRACEPOINT_RECORD(tracepoint_name, FIELDS);                                                    \
    _Static_assert(TRACEPOINT_COUNT_##tracepoint_name <= ARCH_GATE_ARGUMENTS,                      \
                   "all arguments are in registers");                                              \
    TRACEPOINT_ENTRY(tracepoint_name, #system ":" #tracepoint_name, #tracepoint_name,              \
                     tracepoint_hit, __VA_ARGS__)

/* A probe that wants all registers has them in those that were given. */
#define TRACEPOINT_DEFINE_AT(system, tracepoint_name, FIELDS, ...)                                 \
    TRACEPOINT_RECORD(system##_##tracepoint_name, FIELDS);                                         \
    TRACEPOINT_ENTRY(system##_##tracepoint_name, #system ":" #tracepoint_name, #tracepoint_name,   \
                     tracepoint_hit_at, __VA_ARGS__)

/* A field's index, for the members of struct tracepoint that name one. */
#define TRACEPOINT_FIELD(of, name) TRACEPOINT_INDEX_##of##_##name

#define TRACE(name, ...)                                                                           \
    do {                                                                                           \
        if (ARCH_SITE_ON(tracepoint_##name))                                                       \
            ((trace_gate_##name *)tracepoint_##name.gate)(&tracepoint_##name.gated, __VA_ARGS__);  \
    } while (0)

/*
 * The site alone, for arguments that more than an expression makes:
 *
 *     if (TRACE_ON(breakpoint_hit))
 *         slot_trace(...);                which says TRACE_AT(breakpoint_hit, regs, ...)
 */
#define TRACE_ON(name) ARCH_SITE_ON(tracepoint_##name)

/* Stands after a TRACE_ON: it has no site of its own. */
#define TRACE_AT(name, regs, ...) trace_##name(regs, __VA_ARGS__)
