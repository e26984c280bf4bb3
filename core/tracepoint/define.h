/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares, defines and raises tracepoints (core/tracepoint/tracepoint.h).
 *
 * A header beside the traced code declares the fields: the kind, the name, and the part of the
 * printed line, with one conversion of that kind:
 *
 *     #define MM_PAGE_FREE_FIELDS(FIELD, of)
 *         FIELD(of, pointer, address, "address=%p")
 *         FIELD(of, u32, order, " order=%u")
 *     TRACEPOINT_DECLARE(mm_page_free, MM_PAGE_FREE_FIELDS);
 *
 * One .c file has TRACEPOINT_DEFINE(kmem, mm_page_free, MM_PAGE_FREE_FIELDS), and the code raises
 * the tracepoint by TRACE(mm_page_free, address, 4). Up to five fields, of these kinds:
 *
 *     pointer    an address                        %p
 *     function   an address, shown as a symbol     %ps
 *     code       an address inside a function, shown as symbol+0x12    %pS
 *     u32 s32    32 bits                           %u %x, %d
 *     u64 s64    64 bits                           %lu %lx, %ld
 *     text       a string, cut after 15 characters; NULL is an empty one    %s
 *     state      a thread's state, TRACEPOINT_STATE_*, shown by its letter  %s
 *     gfp        page allocation flags, TRACEPOINT_GFP_*, shown by name     %s
 *
 * If a trap's handler reports the interrupted context, the macros that end in _AT declare and
 * define the tracepoint, with up to nine fields; TRACE_ON(SYSTEM_NAME) and TRACE_AT(SYSTEM_NAME,
 * regs, ...) raise it. Its samples begin at `regs`, or at the tracepoint if `regs` is NULL.
 *
 * TRACE works in any context; its arguments are computed only while a probe listens, and a record
 * is made only for a probe that wants one.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "arch/patch.h"
#include "core/tracepoint/tracepoint.h"

/*
 * Called by gates, with interrupts off. tracepoint_hit takes the arguments from the place.
 * tracepoint_hit_at takes them from memory at place->argument[0]; its place->argument[1] points to
 * registers or is NULL.
 */
arch_gated_function tracepoint_hit, tracepoint_hit_at;

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

/* `size` is a constant. The upper half of a 32-bit argument may have any value. */
static inline void tracepoint_store(char *to, size_t size, uint64_t argument)
{
    if (size == TRACEPOINT_TEXT_SIZE)
        tracepoint_copy_text(to, (const char *)argument);
    else
        __builtin_memcpy(to, &argument, size);
}

#define TRACEPOINT_MEMBER(of, kind, name, print)    TRACEPOINT_MEMBER_##kind(name)
#define TRACEPOINT_PARAMETER(of, kind, name, print) , TRACEPOINT_TYPE_##kind name
#define TRACEPOINT_ARGUMENT(of, kind, name, print)  (uint64_t) name,
#define TRACEPOINT_PASS(of, kind, name, print)      , name
#define TRACEPOINT_INDEX(of, kind, name, print)     TRACEPOINT_INDEX_##of##_##name,
#define TRACEPOINT_DESCRIBE(of, kind, field, print)                                                \
    {#field, print, TRACEPOINT_##kind, offsetof(struct trace_record_##of, field),                  \
     sizeof(((struct trace_record_##of *)NULL)->field)},

/*
 * Fields have 4 bytes, 8, or 16 without alignment, so the padding before a field is 0 or 4 bytes.
 * The 4 bytes before every 8-byte field are cleared before any field is written; the compiler drops
 * the stores that later ones overwrite.
 */
#define TRACEPOINT_CLEAR(of, kind, name, print)                                                    \
    if (_Alignof(__typeof__(((struct trace_record_##of *)NULL)->name)) == 8)                       \
        tracepoint_store(record + offsetof(struct trace_record_##of, name) - 4, 4, 0);
#define TRACEPOINT_STORE(of, kind, name, print)                                                    \
    tracepoint_store(record + offsetof(struct trace_record_##of, name),                            \
                     sizeof(((struct trace_record_##of *)NULL)->name),                             \
                     argument[TRACEPOINT_INDEX_##of##_##name]);

/*
 * trace_raise_##name is inline, so that the traced code itself calls the gate, and an interrupt in
 * the gate can move back there. The arguments are computed before the gate's address is read: the
 * compiler then calls through the pointer itself, the only form of call that can be undone
 * (kernel/x86_64/entry/trap.c).
 */
#define TRACEPOINT_DECLARE(name, FIELDS)                                                           \
    extern struct tracepoint tracepoint_##name;                                                    \
    typedef void trace_gate_##name(struct arch_gated *gated FIELDS(TRACEPOINT_PARAMETER, name));   \
    __attribute__((always_inline, unused)) static inline void trace_raise_##name(                  \
        struct arch_gated *gated FIELDS(TRACEPOINT_PARAMETER, name))                               \
    {                                                                                              \
        ((trace_gate_##name *)tracepoint_##name.gate)(gated FIELDS(TRACEPOINT_PASS, name));        \
    }                                                                                              \
    extern struct tracepoint tracepoint_##name

/* The code raises it after a TRACE_ON, which is its site. Inline, as above. */
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

/* Raises a tracepoint with arguments in memory; if `regs` is NULL, with this place's registers. */
__attribute__((always_inline)) static inline void
tracepoint_raise(struct tracepoint *tracepoint, uint64_t *argument, const struct regs *regs)
{
    ((tracepoint_gate_at *)tracepoint->gate)(&tracepoint->gated, argument, regs);
}

/* The record's size, padded so that the size and the record together have a multiple of 8 bytes. */
#define TRACEPOINT_RAW_SIZE(end) (((end) + sizeof(uint32_t) + 7) / 8 * 8 - sizeof(uint32_t))

#define TRACEPOINT_LAYOUT(of, FIELDS)                                                              \
    struct trace_record_##of {                                                                     \
        struct tracepoint_head head;                                                               \
        FIELDS(TRACEPOINT_MEMBER, of)                                                              \
        char end[0];                                                                               \
    }

/* The structure, its description, and the function that makes a record. */
#define TRACEPOINT_RECORD(of, FIELDS)                                                              \
    TRACEPOINT_LAYOUT(of, FIELDS);                                                                 \
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
            tracepoint_store(record + offsetof(struct trace_record_##of, end), 4, 0);              \
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

/* Further arguments initialise members of struct tracepoint. */
#define TRACEPOINT_DEFINE(system, tracepoint_name, FIELDS, ...)                                    \
    TRACEPOINT_RECORD(tracepoint_name, FIELDS);                                                    \
    _Static_assert(TRACEPOINT_COUNT_##tracepoint_name <= ARCH_GATE_ARGUMENTS,                      \
                   "all arguments are in registers");                                              \
    TRACEPOINT_ENTRY(tracepoint_name, #system ":" #tracepoint_name, #tracepoint_name,              \
                     tracepoint_hit, __VA_ARGS__)

/* A probe that wants all registers gets them from those passed to TRACE_AT. */
#define TRACEPOINT_DEFINE_AT(system, tracepoint_name, FIELDS, ...)                                 \
    TRACEPOINT_RECORD(system##_##tracepoint_name, FIELDS);                                         \
    TRACEPOINT_ENTRY(system##_##tracepoint_name, #system ":" #tracepoint_name, #tracepoint_name,   \
                     tracepoint_hit_at, __VA_ARGS__)

/* A field's index, for members of struct tracepoint that refer to a field. */
#define TRACEPOINT_FIELD(of, name) TRACEPOINT_INDEX_##of##_##name

#define TRACE(name, ...)                                                                           \
    do {                                                                                           \
        if (ARCH_SITE_ON(tracepoint_##name))                                                       \
            trace_raise_##name(&tracepoint_##name.gated, __VA_ARGS__);                             \
    } while (0)

/* The site alone: the code computes the arguments and uses TRACE_AT only if TRACE_ON is true. */
#define TRACE_ON(name) ARCH_SITE_ON(tracepoint_##name)

#define TRACE_AT(name, regs, ...) trace_##name(regs, __VA_ARGS__)
