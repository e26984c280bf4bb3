/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debug registers, and the instruction whose access hit; core/breakpoint decides what is watched.
 * Change watches in task context with all other CPUs parked. Handlers run on the debug trap's
 * stack.
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
 * To change watches: call arch_watch_disarm, change the hit handler's data, call arch_watch_arm.
 * Watch i is in register i and reported as bit i. arch_watch_disarm disarms only this CPU; until
 * arch_watch_arm no watch can hit, not even in an NMI. Parked CPUs load the same watches when they
 * resume.
 */
void arch_watch_disarm(void);
void arch_watch_arm(const struct arch_watch *watches, unsigned count);

/*
 * Selects which armed watches are live on a CPU, bit i for watch i; initially all are. The CPU is
 * this one, with interrupts off, or a parked one, which loads the selection when it resumes.
 */
void arch_watch_select(unsigned cpu, unsigned watches);

/*
 * Number of watches armed on that CPU, or to be armed when it leaves its debug traps. Any context.
 */
unsigned arch_watches(unsigned cpu);

/* Returns a phrase for what the range overlaps that may not be watched; NULL if nothing. */
const char *arch_watch_forbidden(uintptr_t address, size_t length);

/*
 * Called for each debug trap of an armed watch, interrupts off and watches disarmed, on the trap's
 * stack; may not fault, lock, allocate or trap. Bit i of `fired` is watch i.
 */
typedef void arch_watch_handler(unsigned fired, struct regs *regs);
void arch_watch_set_handler(arch_watch_handler *handler);

/*
 * Returns the aligned 8-byte word that contains the watched bytes, for hits to read, or a constant
 * 0 for ARCH_EXECUTE, for a program's memory, and for bytes that are not arch_readable. Any
 * context.
 */
const volatile uint64_t *arch_watch_word(const struct arch_watch *watch);

enum arch_found {
    ARCH_FOUND_NOT,    /* the instruction is not certain */
    ARCH_FOUND_AT,     /* ARCH_EXECUTE: the instruction at ip */
    ARCH_FOUND_BEFORE, /* the instruction that ends at ip */
    ARCH_FOUND_STRING, /* a repeated string instruction that begins or ends at ip */
    ARCH_FOUND_CALL,   /* the call that led to ip */
};

struct arch_accessor {
    uintptr_t ip; /* the instruction; 0: ARCH_FOUND_NOT */
    enum arch_found found;
};

/*
 * Returns the instruction whose access to the watched bytes raised the debug trap with the frame
 * `regs`, never a wrong one. In a watch handler, before the watched bytes are written again.
 */
struct arch_accessor arch_watch_accessor(const struct regs *regs, const struct arch_watch *watch);

/* True if one of these bytes is watched. */
static inline bool arch_watch_touches(const struct arch_watch *watch, uintptr_t start, size_t size)
{
    return watch->address - start < size || start - watch->address < watch->length;
}

/*
 * One access of an instruction. If a trap reports a group of iterations of a repeated instruction,
 * it has the bytes that the group certainly accessed and those that the group may have accessed.
 */
struct arch_made {
    uintptr_t address; /* valid if `placed` */
    size_t size;
    bool placed;
    bool reads, writes; /* one or both */
    /* The bytes that may have been accessed; more than `size` only for a group. */
    uintptr_t may_address;
    size_t may_size;
    uint8_t element; /* bytes per iteration, from may_address; `size` without a group */
};

/* True if a watch for `access` detects such an access. */
static inline bool arch_made_is_watched(const struct arch_made *made, enum arch_access access)
{
    return made->writes || access == ARCH_READ_WRITE;
}

#define ARCH_MADE_MAX       2
#define ARCH_CANDIDATES_MAX 4

struct arch_candidate {
    struct arch_made made[ARCH_MADE_MAX];
    unsigned count; /* at least 1 */
};

/*
 * Stores the accesses of each instruction of the kernel that may have hit. Returns their number, or
 * 0 if it is unknown or exceeds ARCH_CANDIDATES_MAX.
 */
unsigned arch_watch_candidates(const struct regs *regs, const struct arch_watch *watch,
                               struct arch_candidate candidates[ARCH_CANDIDATES_MAX]);

/* Reads memory of this CPU's program; false unless all of it is mapped. */
typedef bool arch_program_reader(uintptr_t address, void *to, size_t length);

/*
 * Stores all instructions of this CPU's program that may have led to ip and accessed the watched
 * bytes. Returns their number, or 0 if it is unknown or exceeds ARCH_CANDIDATES_MAX.
 */
unsigned arch_program_candidates(const struct regs *regs, const struct arch_watch *watch,
                                 arch_program_reader *read,
                                 struct arch_candidate candidates[ARCH_CANDIDATES_MAX]);

/*
 * True if all hits of an instruction are reported; otherwise only its first hit is, with its lowest
 * watch. Must not be called from a trap.
 */
bool arch_watch_reports_all(void);

/*
 * Finds out, once, what the functions below return: by a watch of its own, and leaves none armed.
 * Call it with all other CPUs parked, before arch_watch_arm.
 */
void arch_watch_probe(void);

/*
 * True if the machine may report a repeated instruction after a group of iterations rather than
 * after each iteration that hits, or if this is not known yet. Any context.
 */
bool arch_watch_groups(void);

/*
 * True if the machine may report an access beside a watch, so that only the instruction shows
 * whether there was a hit. Any context; false before arch_watch_probe.
 */
bool arch_watch_reports_beside(void);

/*
 * True if the machine does not report the accesses of `xchg` and of instructions with a LOCK
 * prefix once each. Any context; false before arch_watch_probe.
 */
bool arch_watch_miscounts_locked(void);

/*
 * False if it is certain that no repeated instruction begins or ends at ip, the middle of `around`.
 */
#define ARCH_REPEAT_AROUND 5
bool arch_watch_repeats(const uint8_t around[2 * ARCH_REPEAT_AROUND]);

/* Like arch_watch_repeats, for the kernel's text at regs->ip; true if unknown. Debug trap. */
bool arch_watch_repeats_at(const struct regs *regs);

/* Prepares arch_watch_accessor. Returns NULL, or why it will find nothing. Boot. */
const char *arch_accessor_init(void);

/* Number of debug traps that were ignored because only disarmed registers caused them. */
uint64_t arch_watch_spurious(void);

/*
 * True if that CPU's debug registers hold the armed and live watches. Otherwise hits have been
 * missed, and the registers have now been corrected. The CPU is this one, with interrupts off and
 * outside of debug traps, or a parked one, for which only the values that it will load are checked.
 */
bool arch_watch_audit(unsigned cpu);
