/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints, the same in every kernel: how they are defined and raised, those of system calls
 * too. Part of pitot.h, which includes it; docs/tracepoints.md explains them.
 *
 * One .c file defines a tracepoint with its number of fields, 1 to 9, and their kinds, names and
 * parts of the line:
 *
 *     PITOT_TRACEPOINT(vm, page_free, 2, PITOT_FIELD(pointer, page, "page=%p"),
 *                                        PITOT_FIELD(u32, order, " order=%u"));
 *
 * The code raises it with PITOT_TRACE(page_free, page, 4), in any other file after
 * PITOT_TRACEPOINT_DECLARE(page_free, 2). Arguments are evaluated only while an event listens, and
 * a record is made only for an event that wants one. Up to five are passed in registers. Kinds:
 *
 *     pointer    an address                        %p
 *     function   an address, shown as a symbol     %ps
 *     code       an address inside a function, shown as symbol+0x12    %pS
 *     u32 s32    32 bits                           %u %x, %d
 *     u64 s64    64 bits                           %lu %lx, %ld
 *     text       a string, cut after 15 characters; 0 is an empty one  %s
 *     state      a thread's state, PITOT_STATE_*, shown by its letter  %s
 *     gfp        page allocation flags, PITOT_GFP_*, shown by name     %s
 */
#pragma once

enum pitot_kind {
    PITOT_KIND_pointer,
    PITOT_KIND_function,
    PITOT_KIND_code,
    PITOT_KIND_u32,
    PITOT_KIND_s32,
    PITOT_KIND_u64,
    PITOT_KIND_s64,
    PITOT_KIND_text,
    PITOT_KIND_state,
    PITOT_KIND_gfp
};

/* Fields of records. */
typedef unsigned long pitot_as_pointer, pitot_as_function, pitot_as_code, pitot_as_u64;
typedef unsigned long pitot_as_gfp;
typedef long pitot_as_s64, pitot_as_state;
typedef unsigned int pitot_as_u32;
typedef int pitot_as_s32;
typedef struct {
    char of[16];
} pitot_as_text;

/* States of the thread that leaves the CPU, numbered as in Linux' sched_switch. */
#define PITOT_STATE_RUNNABLE 0x00 /* R */
#define PITOT_STATE_SLEEPING 0x01 /* S */
#define PITOT_STATE_ENDED    0x10 /* X */

#define PITOT_GFP_ZERO 0x100 /* Linux' __GFP_ZERO: the pages are filled with zeros */

struct pitot_field {
    const char *name;
    const char *print; /* its part of the printed line, with one conversion */
    unsigned kind;     /* PITOT_KIND_* */
    /* In the record, which begins with the 12 bytes that are the same in all. */
    unsigned short offset, size;
};

struct tracepoint_probe;

/*
 * [I] constant, [T] written by Pitot, in task context with all CPUs parked. Without `make`, as
 * other languages define them, pitot_init sets it, `raw_size` and the fields' offsets.
 */
struct pitot_tracepoint {
    void (*enter)(void);   /* [T] what the gate calls */
    void (*gate)(void);    /* [T] what an enabled site calls; 0 at first */
    const char *full_name; /* [I] "lock:lock_acquire" */
    const char *name;      /* [I] "lock_acquire", the last part of full_name */
    const struct pitot_field *field;
    unsigned field_count;
    /*
     * The next three members are the first word of every record. A hit fills in its upper two
     * bytes, which are 0 here.
     */
    unsigned raw_size;                        /* [I] bytes of the record, including padding */
    unsigned short id;                        /* [T] from 1; 0 until an event has listened */
    unsigned short none;                      /* [I] */
    struct tracepoint_probe *volatile probes; /* [T] 0: no event listens */
    /* [I] Writes every byte of the record after its first 12; returns its end. Any context. */
    char *(*make)(const struct pitot_tracepoint *tracepoint, char *record,
                  const unsigned long *argument);
    unsigned char in_memory; /* [I] the gate takes the address of the arguments */
    unsigned char weighted;  /* [I] the period sums up an argument instead of hits: */
    unsigned short weight;   /* [I] the index of that argument, a u64 */
    /*
     * [I] Finds a hit's arguments from index `late` on, which is expensive, if an event needs one;
     * 0: there are none. Context of the hit, interrupts off.
     */
    unsigned late;
    void (*find_late)(unsigned long *argument);
    /*
     * [I] Finds the arguments of a hit that tells what that CPU does when a recording begins or
     * ends, and returns 1; or returns 0. All CPUs are parked.
     */
    int (*tell_state)(unsigned cpu, int begins, unsigned long *argument);
};

/* --- Definition. --- */

/* A field's type and name in the record, its kind, name and part of the line. */
#define PITOT_FIELD(kind, name, print)                                                             \
    (pitot_as_##kind, field_##name, PITOT_KIND_##kind, #name, print)

#define PITOT_OPEN(...)         __VA_ARGS__
#define PITOT_APPLY(macro, ...) macro(__VA_ARGS__)

/* macro(of, a field's parts) for each field. */
#define PITOT_EACH_1(macro, of, field) PITOT_APPLY(macro, of, PITOT_OPEN field)
#define PITOT_EACH_2(macro, of, field, ...)                                                        \
    PITOT_EACH_1(macro, of, field) PITOT_EACH_1(macro, of, __VA_ARGS__)
#define PITOT_EACH_3(macro, of, field, ...)                                                        \
    PITOT_EACH_1(macro, of, field) PITOT_EACH_2(macro, of, __VA_ARGS__)
#define PITOT_EACH_4(macro, of, field, ...)                                                        \
    PITOT_EACH_1(macro, of, field) PITOT_EACH_3(macro, of, __VA_ARGS__)
#define PITOT_EACH_5(macro, of, field, ...)                                                        \
    PITOT_EACH_1(macro, of, field) PITOT_EACH_4(macro, of, __VA_ARGS__)
#define PITOT_EACH_6(macro, of, field, ...)                                                        \
    PITOT_EACH_1(macro, of, field) PITOT_EACH_5(macro, of, __VA_ARGS__)
#define PITOT_EACH_7(macro, of, field, ...)                                                        \
    PITOT_EACH_1(macro, of, field) PITOT_EACH_6(macro, of, __VA_ARGS__)
#define PITOT_EACH_8(macro, of, field, ...)                                                        \
    PITOT_EACH_1(macro, of, field) PITOT_EACH_7(macro, of, __VA_ARGS__)
#define PITOT_EACH_9(macro, of, field, ...)                                                        \
    PITOT_EACH_1(macro, of, field) PITOT_EACH_8(macro, of, __VA_ARGS__)

/* `size` is a constant. The upper half of a 32-bit argument may have any value. */
__attribute__((always_inline)) static inline void pitot_put(char *to, unsigned long size,
                                                            unsigned long argument)
{
    const char *from = (const char *)argument;
    unsigned long i = 0;

    if (size != sizeof(pitot_as_text)) {
        __builtin_memcpy(to, &argument, size < sizeof(argument) ? size : sizeof(argument));
        return;
    }
    for (; from && from[i] && i < sizeof(pitot_as_text) - 1; i++)
        to[i] = from[i];
    for (; i < sizeof(pitot_as_text); i++)
        to[i] = '\0';
}

/*
 * Fields have 4 bytes, 8, or 16 without alignment, so the padding before a field is 0 or 4 bytes.
 * The 4 bytes before every 8-byte field are cleared before any field is written; the compiler drops
 * the stores that later ones overwrite.
 */
#define PITOT_MEMBER(of, type, member, kind, name, print) type member;
#define PITOT_DESCRIBE(of, type, member, kind, name, print)                                        \
    {name, print, kind, __builtin_offsetof(struct pitot_record_##of, member), sizeof(type)},
#define PITOT_CLEAR(of, type, member, kind, name, print)                                           \
    if (__alignof__(type) == 8)                                                                    \
        pitot_put(record + __builtin_offsetof(struct pitot_record_##of, member) - 4, 4, 0);
#define PITOT_STORE(of, type, member, kind, name, print)                                           \
    pitot_put(record + __builtin_offsetof(struct pitot_record_##of, member), sizeof(type),         \
              *argument++);
#define PITOT_NUMBER(of, type, member, kind, name, print) pitot_index_##of##_##member,

/* A field's index, in the file with the definition. */
#define PITOT_INDEX(of, name) pitot_index_##of##_field_##name
#define PITOT_COUNT(of)       pitot_index_##of##_end

/* Bytes of a record's fixed part and fields. */
#define PITOT_RECORD_END(of) __builtin_offsetof(struct pitot_record_##of, end)
/* ... padded, so that the record and its size before it have a multiple of 8 bytes. */
#define PITOT_RAW_SIZE(end) (((end) + 4 + 7) / 8 * 8 - 4)
#define PITOT_RECORD_MAX    112

#define PITOT_CLAIM(of, claim) typedef char pitot_claim_##of[(claim) ? 1 : -1]

/* clang-format off */
/* The record's structure, and the index of each field. */
#define PITOT_LAYOUT(of, count, ...)                                                               \
    enum { PITOT_EACH_##count(PITOT_NUMBER, of, __VA_ARGS__) pitot_index_##of##_end };             \
    struct pitot_record_##of {                                                                     \
        int head[3];                                                                               \
        PITOT_EACH_##count(PITOT_MEMBER, of, __VA_ARGS__)                                          \
        char end;                                                                                  \
    }

/* The record's layout, its description, and the function that makes one. */
#define PITOT_RECORD(of, count, ...)                                                               \
    PITOT_LAYOUT(of, count, __VA_ARGS__);                                                          \
    PITOT_CLAIM(of, PITOT_RECORD_END(of) <= PITOT_RECORD_MAX);                                     \
    static const struct pitot_field pitot_field_##of[] = {                                         \
        PITOT_EACH_##count(PITOT_DESCRIBE, of, __VA_ARGS__)                                        \
    };                                                                                             \
    __attribute__((section(".text.hit"))) static char *pitot_make_##of(                            \
        const struct pitot_tracepoint *tracepoint, char *__restrict record,                        \
        const unsigned long *__restrict argument)                                                  \
    {                                                                                              \
        (void)tracepoint;                                                                          \
        PITOT_EACH_##count(PITOT_CLEAR, of, __VA_ARGS__)                                           \
        PITOT_EACH_##count(PITOT_STORE, of, __VA_ARGS__)                                           \
        if (PITOT_RECORD_END(of) % 8 == 0)                                                         \
            pitot_put(record + PITOT_RECORD_END(of), 4, 0);                                        \
        return record + PITOT_RAW_SIZE(PITOT_RECORD_END(of));                                      \
    }                                                                                              \
    struct pitot_record_##of

#define PITOT_TRACEPOINT_DECLARE(name, count)                                                      \
    extern struct pitot_tracepoint pitot_tracepoint_##name;                                        \
    typedef char pitot_fields_of_##name[(count) + 1]

#define PITOT_TRACEPOINT(system, name, count, ...)                                                 \
    PITOT_TRACEPOINT_WITH(system, name, (0, 0, 0, 0, 0), count, __VA_ARGS__)

/*
 * `members` are those of struct pitot_tracepoint from `weighted` on, all five, in parentheses:
 * (1, PITOT_INDEX(sched_stat_runtime, runtime), 0, 0, 0).
 */
#define PITOT_TRACEPOINT_WITH(system, name, members, count, ...)                                   \
    PITOT_TRACEPOINT_DECLARE(name, count);                                                         \
    PITOT_RECORD(name, count, __VA_ARGS__);                                                        \
    struct pitot_tracepoint pitot_tracepoint_##name = {                                            \
        0, 0, #system ":" #name, #name, pitot_field_##name, (count),                               \
        PITOT_RAW_SIZE(PITOT_RECORD_END(name)), 0, 0, 0, pitot_make_##name, (count) > 5,           \
        PITOT_OPEN members                                                                         \
    };                                                                                             \
    __attribute__((section("pitot_tracepoints"), used))                                            \
    static struct pitot_tracepoint *const pitot_entry_##name = &pitot_tracepoint_##name
/* clang-format on */

/* --- Raising. --- */

/*
 * Defined before this header is included, PITOT_PATCHED makes a tracepoint one instruction, a nop,
 * while no event listens: Pitot writes a jump over it, with all other CPUs parked. NMI handlers may
 * not have such a tracepoint on more than one CPU.
 */
#ifdef PITOT_PATCHED
#define PITOT_JUMP(tracepoint)                                                                     \
    __asm__ goto("1: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n\t"                                       \
                 ".pushsection pitot_sites, \"aw?\", @progbits\n\t"                                \
                 ".balign 8\n\t"                                                                   \
                 ".quad 1b, %l[pitot_on], %c[pitot_owner]\n\t"                                     \
                 ".popsection"                                                                     \
                 :                                                                                 \
                 : [pitot_owner] "i"(&(tracepoint))                                                \
                 :                                                                                 \
                 : pitot_on)
#if defined(__cplusplus) && defined(__clang__)
/* A function of its own: until clang 17, all such jumps of a function exclude initialisations. */
#define PITOT_SITE(tracepoint)                                                                     \
    __builtin_expect(                                                                              \
        []() __attribute__((always_inline))->bool {                                                \
            PITOT_JUMP(tracepoint);                                                                \
            return false;                                                                          \
        pitot_on:                                                                                  \
            return true;                                                                           \
        }(),                                                                                       \
        0)
#else
#define PITOT_SITE(tracepoint)                                                                     \
    __extension__({                                                                                \
        __label__ pitot_on;                                                                        \
        int pitot_is_on = 0;                                                                       \
        PITOT_JUMP(tracepoint);                                                                    \
        if (0) {                                                                                   \
        pitot_on:                                                                                  \
            pitot_is_on = 1;                                                                       \
        }                                                                                          \
        __builtin_expect(pitot_is_on, 0);                                                          \
    })
#endif
#else
#define PITOT_SITE(tracepoint) __builtin_expect((tracepoint).probes != 0, 0)
#endif

/* True if an event listens to the tracepoint. */
#define PITOT_ON(name) PITOT_SITE(pitot_tracepoint_##name)

/*
 * Inline, so that the traced code itself calls the gate: the call's return address is the sample's,
 * and an interrupt in the gate can move back there. The arguments are computed before the gate's
 * address is read: the compiler then calls through the pointer itself, the only form of call that
 * can be undone (arch/x86_64/entry/gate.asm).
 */
#define PITOT_RAISER(raise, parameters, arguments)                                                 \
    __attribute__((always_inline)) static inline void raise parameters                             \
    {                                                                                              \
        ((void(*) parameters)tracepoint->gate) arguments;                                          \
    }

#define PITOT_WITH_1 struct pitot_tracepoint *tracepoint, unsigned long a
#define PITOT_WITH_2 PITOT_WITH_1, unsigned long b
#define PITOT_WITH_3 PITOT_WITH_2, unsigned long c
#define PITOT_WITH_4 PITOT_WITH_3, unsigned long d
#define PITOT_WITH_5 PITOT_WITH_4, unsigned long e
#define PITOT_WITH_6 PITOT_WITH_5, unsigned long f
#define PITOT_WITH_7 PITOT_WITH_6, unsigned long g
#define PITOT_WITH_8 PITOT_WITH_7, unsigned long h
#define PITOT_WITH_9 PITOT_WITH_8, unsigned long i

PITOT_RAISER(pitot_raise_1, (PITOT_WITH_1), (tracepoint, a))
PITOT_RAISER(pitot_raise_2, (PITOT_WITH_2), (tracepoint, a, b))
PITOT_RAISER(pitot_raise_3, (PITOT_WITH_3), (tracepoint, a, b, c))
PITOT_RAISER(pitot_raise_4, (PITOT_WITH_4), (tracepoint, a, b, c, d))
PITOT_RAISER(pitot_raise_5, (PITOT_WITH_5), (tracepoint, a, b, c, d, e))

/* With arguments in memory. `regs`: 0, for the registers of this place. */
PITOT_RAISER(pitot_raise_memory,
             (struct pitot_tracepoint * tracepoint, unsigned long *argument, const void *regs),
             (tracepoint, argument, regs))

#define PITOT_RAISER_OF_MANY(raise, parameters, ...)                                               \
    __attribute__((always_inline)) static inline void raise parameters                             \
    {                                                                                              \
        unsigned long argument[] = {__VA_ARGS__};                                                  \
                                                                                                   \
        pitot_raise_memory(tracepoint, argument, 0);                                               \
    }

PITOT_RAISER_OF_MANY(pitot_raise_6, (PITOT_WITH_6), a, b, c, d, e, f)
PITOT_RAISER_OF_MANY(pitot_raise_7, (PITOT_WITH_7), a, b, c, d, e, f, g)
PITOT_RAISER_OF_MANY(pitot_raise_8, (PITOT_WITH_8), a, b, c, d, e, f, g, h)
PITOT_RAISER_OF_MANY(pitot_raise_9, (PITOT_WITH_9), a, b, c, d, e, f, g, h, i)

#define PITOT_WORDS_1(a)      ((unsigned long)(a))
#define PITOT_WORDS_2(a, ...) PITOT_WORDS_1(a), PITOT_WORDS_1(__VA_ARGS__)
#define PITOT_WORDS_3(a, ...) PITOT_WORDS_1(a), PITOT_WORDS_2(__VA_ARGS__)
#define PITOT_WORDS_4(a, ...) PITOT_WORDS_1(a), PITOT_WORDS_3(__VA_ARGS__)
#define PITOT_WORDS_5(a, ...) PITOT_WORDS_1(a), PITOT_WORDS_4(__VA_ARGS__)
#define PITOT_WORDS_6(a, ...) PITOT_WORDS_1(a), PITOT_WORDS_5(__VA_ARGS__)
#define PITOT_WORDS_7(a, ...) PITOT_WORDS_1(a), PITOT_WORDS_6(__VA_ARGS__)
#define PITOT_WORDS_8(a, ...) PITOT_WORDS_1(a), PITOT_WORDS_7(__VA_ARGS__)
#define PITOT_WORDS_9(a, ...) PITOT_WORDS_1(a), PITOT_WORDS_8(__VA_ARGS__)

#define PITOT_RAISE(name, count, ...)                                                              \
    do {                                                                                           \
        (void)sizeof(char[sizeof(pitot_fields_of_##name) == (count) + 1 ? 1 : -1]);                \
        if (PITOT_ON(name))                                                                        \
            pitot_raise_##count(&pitot_tracepoint_##name, PITOT_WORDS_##count(__VA_ARGS__));       \
    } while (0)

#define PITOT_TENTH(a, b, c, d, e, f, g, h, i, count, ...) count
#define PITOT_TRACE(name, ...)                                                                     \
    PITOT_APPLY(PITOT_RAISE, name, PITOT_TENTH(__VA_ARGS__, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),         \
                __VA_ARGS__)

/* --- System calls, as `perf trace` reads them, with `calls` of struct pitot_kernel. --- */

#define PITOT_CALL_ARGUMENTS 6
#define PITOT_CALLS_MAX      64 /* in `calls` of struct pitot_kernel */
enum pitot_call_kind {
    PITOT_CALL_FD,   /* a file descriptor, an int */
    PITOT_CALL_INT,  /* an int, printed in decimal; what is above its 32 bits is ignored */
    PITOT_CALL_SIZE, /* a length, of 64 bits without a sign */
    PITOT_CALL_HEX,  /* flags or an address, printed in hexadecimal */
    PITOT_CALL_PATH, /* a NUL-terminated string in the program's memory */
    PITOT_CALL_IN,   /* memory that the call reads */
    PITOT_CALL_OUT,  /* ... writes */
    PITOT_CALL_LONG  /* a long or an offset, of 64 bits with a sign, printed in decimal */
};

struct pitot_call_argument {
    const char *name; /* 0 after the last */
    enum pitot_call_kind kind;
};

struct pitot_call {
    unsigned long number;
    const char *name;
    struct pitot_call_argument argument[PITOT_CALL_ARGUMENTS + 1];
};

/*
 * Linux' raw_syscalls:sys_enter and sys_exit. `path` and `path_more` are the first 15 and the next
 * 15 characters of the call's first PATH argument, or empty. A longer string ends with three dots.
 */
#define PITOT_CALL_BEGINS_FIELDS                                                                   \
    PITOT_FIELD(s64, id, "NR %ld"), PITOT_FIELD(u64, arg0, " (%lx"),                               \
        PITOT_FIELD(u64, arg1, ", %lx"), PITOT_FIELD(u64, arg2, ", %lx"),                          \
        PITOT_FIELD(u64, arg3, ", %lx"), PITOT_FIELD(u64, arg4, ", %lx"),                          \
        PITOT_FIELD(u64, arg5, ", %lx)"), PITOT_FIELD(text, path, " %s"),                          \
        PITOT_FIELD(text, path_more, "%s")
#define PITOT_CALL_ENDS_FIELDS PITOT_FIELD(s64, id, "NR %ld"), PITOT_FIELD(s64, ret, " = %ld")

/* Defines them in one .c file. `find_path` is a find_late that calls pitot_call_path; or is 0. */
#define PITOT_CALLS(find_path)                                                                     \
    PITOT_TRACEPOINT_WITH(raw_syscalls, sys_enter,                                                 \
                          (0, 0, PITOT_INDEX(sys_enter, path), find_path, 0), 9,                   \
                          PITOT_CALL_BEGINS_FIELDS);                                               \
    PITOT_TRACEPOINT(raw_syscalls, sys_exit, 2, PITOT_CALL_ENDS_FIELDS)

/* In any other file, or a header. */
#define PITOT_CALLS_DECLARE                                                                        \
    PITOT_TRACEPOINT_DECLARE(sys_enter, 9);                                                        \
    PITOT_TRACEPOINT_DECLARE(sys_exit, 2)

/* Where a call begins and ends, in the calling thread. */
#define PITOT_CALL_BEGINS(number, a, b, c, d, e, f)                                                \
    PITOT_TRACE(sys_enter, number, a, b, c, d, e, f, 0, 0)
#define PITOT_CALL_ENDS(number, result) PITOT_TRACE(sys_exit, number, result)
