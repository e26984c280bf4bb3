/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints: places in the kernel's code that tell of themselves when somebody listens, and are a
 * nop of five bytes when nobody does. docs/tracepoints.md tells why it is so.
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
 * and defined by the macros that end in _AT, up to nine fields, and raised by
 * TRACE_ON(SYSTEM_NAME) and TRACE_AT(SYSTEM_NAME, regs, ...): its samples begin at these registers,
 * not at the place with the tracepoint.
 *
 * From this come the site, the record in memory, and the description of it that libtraceevent reads
 * (core/perf/tracepoint_format.h). TRACE may stand in any context; its arguments are computed only
 * when somebody listens.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "core/refusal.h"

#define TRACEPOINT_TEXT_SIZE  16
#define TRACEPOINT_FIELDS_MAX 9
#define TRACEPOINT_ARGUMENTS  5 /* fields that go in registers (ARCH_REGISTERS_STUB) */
#define TRACEPOINT_RECORD_MAX 112

/* What every record begins with: Linux' common fields, and the thread group, as in 2009. */
struct tracepoint_head {
    uint16_t common_type; /* the tracepoint's id */
    uint8_t common_flags; /* TRACEPOINT_* */
    uint8_t common_preempt_count;
    int32_t common_pid;
    int32_t common_tgid;
};

#define TRACEPOINT_IRQS_OFF 1 /* common_flags: interrupts were off; Linux' TRACE_FLAG_IRQS_OFF */

/*
 * A record as a sample carries it: the size, then so many bytes, 8-byte aligned together. It lies 4
 * bytes behind a multiple of 8, so that the record itself is aligned.
 */
struct tracepoint_raw {
    uint32_t size;
    struct tracepoint_head head;
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

/* As Linux' sched_switch numbers the states of who leaves the CPU. */
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

struct tracepoint_probe;

/* Who listens. Any context, interrupts off: no lock, no allocation, no fault. */
typedef void tracepoint_probe_hit(struct tracepoint_probe *probe, const struct tracepoint_raw *raw,
                                  const struct regs *regs);

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
    const char *full_name;                /* [I] "lock:lock_acquire" */
    const char *name;                     /* [I] "lock_acquire", the end of it */
    const struct tracepoint_field *field; /* [I] */
    unsigned field_count;                 /* [I] */
    uint32_t raw_size;                    /* [I] bytes of the record, padding included */
    void (**call)(void);                  /* [T] what a site that is on calls: one of */
    void (*plain)(void);                  /* [I] ... the function that makes the record, */
    void (*with_registers)(void);         /* [I] ... or its stub that saves all registers before */
    struct tracepoint_probe *probes;      /* [T] read by hits */
    uint16_t id;                          /* [T] from 1; 0 until somebody has listened */
};

/* --- Who listens: task context. --- */

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

/* --- Which there are: any context (core/perf/tracepoint_list.c). --- */

/* The tracepoint of this id, 1 to tracepoint_count(); NULL for others. */
struct tracepoint *tracepoint_by_id(uint64_t id);
size_t tracepoint_count(void);
uint16_t tracepoint_id(const struct tracepoint *tracepoint);

/* The next in order of full names, the first behind NULL; NULL behind the last. */
struct tracepoint *tracepoint_after(const struct tracepoint *before);

/* --- What the macros below are made of. --- */

/*
 * Tells the probes of a record; the last two are the calling function's __builtin_frame_address(0)
 * and __builtin_return_address(0). Weak: what has tracepoints can be linked without who listens.
 */
__attribute__((weak)) void tracepoint_hit(const struct tracepoint *tracepoint,
                                          struct tracepoint_raw *raw, const void *frame,
                                          const void *return_address);

/* The same of a record with registers of its own: those of a trap, say. */
__attribute__((weak)) void tracepoint_hit_at(const struct tracepoint *tracepoint,
                                             struct tracepoint_raw *raw, const struct regs *regs);

static inline void tracepoint_copy_text(char *to, const char *from)
{
    unsigned i = 0;

    for (; from && from[i] && i < TRACEPOINT_TEXT_SIZE - 1; i++)
        to[i] = from[i];
    for (; i < TRACEPOINT_TEXT_SIZE; i++)
        to[i] = '\0';
}

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

#define TRACEPOINT_PARAMETER_pointer(name)  const volatile void *name,
#define TRACEPOINT_PARAMETER_function(name) uintptr_t name,
#define TRACEPOINT_PARAMETER_code(name)     uintptr_t name,
#define TRACEPOINT_PARAMETER_u32(name)      uint32_t name,
#define TRACEPOINT_PARAMETER_s32(name)      int32_t name,
#define TRACEPOINT_PARAMETER_u64(name)      uint64_t name,
#define TRACEPOINT_PARAMETER_s64(name)      int64_t name,
#define TRACEPOINT_PARAMETER_gfp(name)      uint64_t name,
#define TRACEPOINT_PARAMETER_state(name)    int64_t name,
#define TRACEPOINT_PARAMETER_text(name)     const char *name,

#define TRACEPOINT_STORE_pointer(name)  out.record.name = (uintptr_t)name;
#define TRACEPOINT_STORE_function(name) out.record.name = name;
#define TRACEPOINT_STORE_code(name)     out.record.name = name;
#define TRACEPOINT_STORE_u32(name)      out.record.name = name;
#define TRACEPOINT_STORE_s32(name)      out.record.name = name;
#define TRACEPOINT_STORE_u64(name)      out.record.name = name;
#define TRACEPOINT_STORE_s64(name)      out.record.name = name;
#define TRACEPOINT_STORE_gfp(name)      out.record.name = name;
#define TRACEPOINT_STORE_state(name)    out.record.name = name;
#define TRACEPOINT_STORE_text(name)     tracepoint_copy_text(out.record.name, name);

#define TRACEPOINT_MEMBER(of, kind, name, print)    TRACEPOINT_MEMBER_##kind(name)
#define TRACEPOINT_PARAMETER(of, kind, name, print) TRACEPOINT_PARAMETER_##kind(name)
#define TRACEPOINT_STORE(of, kind, name, print)     TRACEPOINT_STORE_##kind(name)
#define TRACEPOINT_DESCRIBE(of, kind, field, print)                                                \
    {#field, print, TRACEPOINT_##kind, offsetof(struct trace_record_##of, field),                  \
     sizeof(((struct trace_record_##of *)NULL)->field)},

#define TRACEPOINT_DECLARE(name, FIELDS)                                                           \
    extern struct tracepoint tracepoint_##name;                                                    \
    extern void (*trace_##name)(FIELDS(TRACEPOINT_PARAMETER, name)                                 \
                                    const struct tracepoint *tracepoint)

#define TRACEPOINT_DECLARE_AT(system, name, FIELDS)                                                \
    extern struct tracepoint tracepoint_##system##_##name;                                         \
    extern void (*trace_##system##_##name)(FIELDS(TRACEPOINT_PARAMETER, system##_##name)           \
                                               const struct regs *regs,                            \
                                           const struct tracepoint *tracepoint)

/* Of the record: padded so that the size in front of it and the record end on a multiple of 8. */
#define TRACEPOINT_RAW_SIZE(end) (((end) + sizeof(uint32_t) + 7) / 8 * 8 - sizeof(uint32_t))

#define TRACEPOINT_RECORD(of, FIELDS)                                                              \
    struct trace_record_##of {                                                                     \
        struct tracepoint_head head;                                                               \
        FIELDS(TRACEPOINT_MEMBER, of)                                                              \
        char end[0];                                                                               \
    };                                                                                             \
    static const struct tracepoint_field trace_fields_##of[] = {FIELDS(TRACEPOINT_DESCRIBE, of)};  \
    enum { TRACEPOINT_COUNT_##of = sizeof(trace_fields_##of) / sizeof(trace_fields_##of[0]) };     \
    _Static_assert(offsetof(struct trace_record_##of, end) <= TRACEPOINT_RECORD_MAX,               \
                   "a sample has room for it");                                                    \
    _Static_assert(TRACEPOINT_COUNT_##of <= TRACEPOINT_FIELDS_MAX, "fields are few")

/*
 * The record, `out`, on the stack of the function that makes it. The last words go to 0 first, for
 * the padding.
 */
#define TRACEPOINT_FILL(of, FIELDS)                                                                \
    enum {                                                                                         \
        SIZE = TRACEPOINT_RAW_SIZE(offsetof(struct trace_record_##of, end)),                       \
        WORDS = (2 * sizeof(uint32_t) + SIZE + 7) / 8,                                             \
    };                                                                                             \
    union {                                                                                        \
        uint64_t words[WORDS];                                                                     \
        struct {                                                                                   \
            uint32_t unused, size;                                                                 \
            struct trace_record_##of record;                                                       \
        };                                                                                         \
    } out;                                                                                         \
                                                                                                   \
    out.words[WORDS - 2] = 0;                                                                      \
    out.words[WORDS - 1] = 0;                                                                      \
    out.size = SIZE;                                                                               \
    FIELDS(TRACEPOINT_STORE, of)

#define TRACEPOINT_ENTRY(of, spelling, spelling_of_name, stub)                                     \
    struct tracepoint tracepoint_##of = {                                                          \
        .full_name = (spelling),                                                                   \
        .name = (spelling_of_name),                                                                \
        .field = trace_fields_##of,                                                                \
        .field_count = TRACEPOINT_COUNT_##of,                                                      \
        .raw_size = TRACEPOINT_RAW_SIZE(offsetof(struct trace_record_##of, end)),                  \
        .call = (void (**)(void)) & trace_##of,                                                    \
        .plain = (void (*)(void))trace_make_##of,                                                  \
        .with_registers = (void (*)(void))(stub)};                                                 \
    __attribute__((section("tracepoints"),                                                         \
                   used)) static struct tracepoint *const trace_entry_##of = &tracepoint_##of

/*
 * The record is put together on the stack of a function of its own, whose frame tells the caller's
 * registers: it is the place with the tracepoint.
 */
#define TRACEPOINT_DEFINE(system, tracepoint_name, FIELDS)                                         \
    TRACEPOINT_RECORD(tracepoint_name, FIELDS);                                                    \
    _Static_assert(TRACEPOINT_COUNT_##tracepoint_name <= TRACEPOINT_ARGUMENTS,                     \
                   "all arguments are in registers");                                              \
    __attribute__((noinline, used)) static void trace_make_##tracepoint_name(                      \
        FIELDS(TRACEPOINT_PARAMETER, tracepoint_name) const struct tracepoint *tracepoint)         \
    {                                                                                              \
        TRACEPOINT_FILL(tracepoint_name, FIELDS)                                                   \
        tracepoint_hit(tracepoint, (struct tracepoint_raw *)&out.size, __builtin_frame_address(0), \
                       __builtin_return_address(0));                                               \
    }                                                                                              \
    ARCH_REGISTERS_STUB(trace_stub_##tracepoint_name, trace_make_##tracepoint_name);               \
    void trace_stub_##tracepoint_name(void);                                                       \
    void (*trace_##tracepoint_name)(FIELDS(TRACEPOINT_PARAMETER, tracepoint_name)                  \
                                        const struct tracepoint *) = trace_make_##tracepoint_name; \
    TRACEPOINT_ENTRY(tracepoint_name, #system ":" #tracepoint_name, #tracepoint_name,              \
                     trace_stub_##tracepoint_name)

/* Whoever wants all registers has them in those that were given. */
#define TRACEPOINT_DEFINE_AT(system, tracepoint_name, FIELDS)                                      \
    TRACEPOINT_RECORD(system##_##tracepoint_name, FIELDS);                                         \
    __attribute__((noinline)) static void trace_make_##system##_##tracepoint_name(                 \
        FIELDS(TRACEPOINT_PARAMETER, system##_##tracepoint_name) const struct regs *regs,          \
        const struct tracepoint *tracepoint)                                                       \
    {                                                                                              \
        TRACEPOINT_FILL(system##_##tracepoint_name, FIELDS)                                        \
        tracepoint_hit_at(tracepoint, (struct tracepoint_raw *)&out.size, regs);                   \
    }                                                                                              \
    void (*trace_##system##_##tracepoint_name)(                                                    \
        FIELDS(TRACEPOINT_PARAMETER, system##_##tracepoint_name) const struct regs *,              \
        const struct tracepoint *) = trace_make_##system##_##tracepoint_name;                      \
    TRACEPOINT_ENTRY(system##_##tracepoint_name, #system ":" #tracepoint_name, #tracepoint_name,   \
                     trace_make_##system##_##tracepoint_name)

#define TRACE(name, ...)                                                                           \
    do {                                                                                           \
        if (ARCH_SITE_ON(tracepoint_##name))                                                       \
            trace_##name(__VA_ARGS__, &tracepoint_##name);                                         \
    } while (0)

/*
 * The site alone, for arguments that more than an expression makes:
 *
 *     if (TRACE_ON(breakpoint_hit))
 *         slot_trace(...);                which says TRACE_AT(breakpoint_hit, regs, ...)
 */
#define TRACE_ON(name) ARCH_SITE_ON(tracepoint_##name)

/* Behind a TRACE_ON: no site of its own. */
#define TRACE_AT(name, regs, ...) trace_##name(__VA_ARGS__, regs, &tracepoint_##name)
