/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debug registers, and the instruction that made an access that hit. core/breakpoint has the policy
 * (owners, sharing, refusals). Changes are made in task context with all other CPUs parked;
 * handlers run on the debug trap's own stack.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regs;

#define ARCH_WATCHES 4

enum arch_access { ARCH_EXECUTE, ARCH_WRITE, ARCH_READ_WRITE };

struct arch_watch {
    uintptr_t address;
    uint8_t length; /* 1, 2, 4, 8; address is a multiple of it. ARCH_EXECUTE: 1 */
    enum arch_access access;
};

/*
 * Disarm, change what the hit handler reads, arm: called in this order with all other CPUs parked,
 * which load the same watches when they resume. Watch i goes into register i, and a hit is reported
 * as bit i. Between the two calls no watch can hit, not even in an NMI. The first call alone
 * disarms this CPU.
 */
void arch_watch_disarm(void);
void arch_watch_arm(const struct arch_watch *watches, unsigned count);

/*
 * Which of the armed watches are live on that CPU, bit i for watch i; at first all are. The CPU is
 * this one, with interrupts off, or a parked one, where it takes effect when the CPU resumes.
 */
void arch_watch_select(unsigned cpu, unsigned watches);

/*
 * How many watches are armed on that CPU, or will be as soon as it leaves its debug traps. Any
 * context.
 */
unsigned arch_watches(unsigned cpu);

/*
 * NULL if [address, address + length) may be watched; else what it overlaps, in words for a
 * refusal.
 */
const char *arch_watch_forbidden(uintptr_t address, size_t length);

/*
 * Called for each debug trap that an armed watch has caused: bit i of `fired` is watch i. Runs on
 * the debug trap's own stack with interrupts off and watches disarmed; may not fault, lock,
 * allocate or trap.
 */
typedef void arch_watch_handler(unsigned fired, struct regs *regs);
void arch_watch_set_handler(arch_watch_handler *handler);

/*
 * The aligned word of eight bytes that holds the watched bytes, as hits may read it. If there is
 * nothing to read, a word that is always 0: for ARCH_EXECUTE, if the bytes are not arch_readable
 * (any more), and for a program's memory, which the kernel may not read there. Any context.
 */
const volatile uint64_t *arch_watch_word(const struct arch_watch *watch);

enum arch_found {
    ARCH_FOUND_NOT,    /* several instructions may have done it, or no known one */
    ARCH_FOUND_AT,     /* ARCH_EXECUTE: the instruction at ip */
    ARCH_FOUND_BEFORE, /* the instruction that ends at ip */
    ARCH_FOUND_STRING, /* a repeated instruction, which begins or ends at ip */
    ARCH_FOUND_CALL,   /* the call that led to ip */
};

struct arch_accessor {
    uintptr_t ip; /* its first byte; 0 for ARCH_FOUND_NOT */
    enum arch_found found;
};

/*
 * The instruction whose access to these watched bytes raised the debug trap with the frame `regs`.
 * Never a wrong one: if it is not certain, ARCH_FOUND_NOT. In a watch handler, before the watched
 * bytes are written again.
 */
struct arch_accessor arch_watch_accessor(const struct regs *regs, const struct arch_watch *watch);

/* True if one of these bytes is watched. */
static inline bool arch_watch_touches(const struct arch_watch *watch, uintptr_t start, size_t size)
{
    return watch->address - start < size || start - watch->address < watch->length;
}

/*
 * One access that an instruction made. If a trap reports a group of a repeated instruction's
 * iterations: the bytes that these certainly accessed, and those that they may have accessed.
 */
struct arch_made {
    uintptr_t address; /* [address, address + size), if placed; else the place is not known */
    size_t size;
    bool placed;
    bool reads, writes;    /* one or both */
    uintptr_t may_address; /* contains the former, and is equal to it but for a group */
    size_t may_size;
    uint8_t element; /* bytes of one iteration, from may_address on; otherwise `size` */
};

/* True if a watch for `access` sees such an access. */
static inline bool arch_made_is_watched(const struct arch_made *made, enum arch_access access)
{
    return made->writes || access == ARCH_READ_WRITE;
}

#define ARCH_MADE_MAX       2
#define ARCH_CANDIDATES_MAX 4

/* All data accesses of one instruction. */
struct arch_candidate {
    struct arch_made made[ARCH_MADE_MAX];
    unsigned count; /* at least 1 */
};

/*
 * The instructions of which one made the access that hit, of the kernel: the one that
 * arch_watch_accessor finds. 0: not known. Context: as arch_watch_accessor.
 */
unsigned arch_watch_candidates(const struct regs *regs, const struct arch_watch *watch,
                               struct arch_candidate candidates[ARCH_CANDIDATES_MAX]);

/*
 * The same for the program that runs on this CPU, for kernels that have programs. No map tells
 * where its instructions begin, so these are all whose bytes would end at ip and that may have
 * accessed the watched bytes: most starts are none, or access others.
 */
unsigned arch_program_candidates(const struct regs *regs, const struct arch_watch *watch,
                                 struct arch_candidate candidates[ARCH_CANDIDATES_MAX]);

/*
 * True if the machine reports each watch that an access matches; false if it reports only the
 * lowest one, and nothing for a later access of the same instruction. Not in traps.
 */
bool arch_watch_reports_all(void);

/*
 * True if the machine may report a repeated instruction once for a group of iterations, after the
 * last of them, instead of after each that hits; and as long as that is not known. The first call
 * tries it, by a watch of its own: with all other CPUs parked, and before arch_watch_arm, as it
 * leaves no watch armed.
 */
bool arch_watch_groups(void);

/*
 * True if a repeated instruction ends or begins at ip: a hit there may be a group's. `around` is
 * the text from ARCH_REPEAT_AROUND bytes before ip to as many after it. May be true of others.
 */
#define ARCH_REPEAT_AROUND 5
bool arch_watch_repeats(const uint8_t around[2 * ARCH_REPEAT_AROUND]);

/* The same of the kernel's text; true as well if that cannot be known. Debug trap. */
bool arch_watch_repeats_at(const struct regs *regs);

/*
 * Prepares what arch_watch_accessor needs. NULL, or why it will never find an instruction. Called
 * at boot.
 */
const char *arch_accessor_init(void);

/* Debug traps for which only disarmed registers are the cause: ignored, but counted. */
uint64_t arch_watch_spurious(void);

/*
 * Checks the watches: true if that CPU's debug registers hold what is armed and live there. If not,
 * hits have been missed, and the registers are correct from here on. For this CPU, with interrupts
 * off, outside of debug traps; or for a parked one, where only the values that it will load are
 * checked.
 */
bool arch_watch_audit(unsigned cpu);
