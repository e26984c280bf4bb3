/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debug registers, and finding the instruction that made an access that hit. core/breakpoint
 * implements the policy (owners, sharing, refusals). Changes are made in task context with all
 * other CPUs parked; handlers run on the debug trap's own stack.
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
 * To change watches: disarm, change the hit handler's data, arm, with all other CPUs parked; these
 * load the same watches when they resume. Watch i occupies register i, and a hit is reported as bit
 * i. Between the two calls no watch can hit, not even in an NMI. The first call alone disarms this
 * CPU.
 */
void arch_watch_disarm(void);
void arch_watch_arm(const struct arch_watch *watches, unsigned count);

/*
 * Selects which of the armed watches are live on that CPU, bit i for watch i; initially all are.
 * The CPU is this one, with interrupts off, or a parked one, where the selection takes effect when
 * the CPU resumes.
 */
void arch_watch_select(unsigned cpu, unsigned watches);

/*
 * The number of watches that are armed on that CPU, or will be once it leaves its debug traps. Any
 * context.
 */
unsigned arch_watches(unsigned cpu);

/*
 * NULL if [address, address + length) may be watched; otherwise what the range overlaps, as a
 * phrase for a refusal.
 */
const char *arch_watch_forbidden(uintptr_t address, size_t length);

/*
 * Called for each debug trap caused by an armed watch: bit i of `fired` is watch i. Runs on the
 * debug trap's own stack with interrupts off and watches disarmed; may not fault, lock, allocate or
 * trap.
 */
typedef void arch_watch_handler(unsigned fired, struct regs *regs);
void arch_watch_set_handler(arch_watch_handler *handler);

/*
 * The aligned 8-byte word that holds the watched bytes, in a form that hits may read. If there is
 * nothing to read, a word that is always 0: for ARCH_EXECUTE, if the bytes are not (or no longer)
 * arch_readable, and for a program's memory, which the kernel may not read through this pointer.
 * Any context.
 */
const volatile uint64_t *arch_watch_word(const struct arch_watch *watch);

enum arch_found {
    ARCH_FOUND_NOT,    /* several instructions are possible, or no known one */
    ARCH_FOUND_AT,     /* ARCH_EXECUTE: the instruction at ip */
    ARCH_FOUND_BEFORE, /* the instruction that ends at ip */
    ARCH_FOUND_STRING, /* a repeated string instruction that begins or ends at ip */
    ARCH_FOUND_CALL,   /* the call that led to ip */
};

struct arch_accessor {
    uintptr_t ip; /* first byte of the instruction; 0 for ARCH_FOUND_NOT */
    enum arch_found found;
};

/*
 * The instruction whose access to these watched bytes raised the debug trap with the frame `regs`.
 * Never a wrong one: ARCH_FOUND_NOT unless the result is certain. In a watch handler, before the
 * watched bytes are written again.
 */
struct arch_accessor arch_watch_accessor(const struct regs *regs, const struct arch_watch *watch);

/* True if one of these bytes is watched. */
static inline bool arch_watch_touches(const struct arch_watch *watch, uintptr_t start, size_t size)
{
    return watch->address - start < size || start - watch->address < watch->length;
}

/*
 * One access made by an instruction. If a trap reports a group of iterations of a repeated
 * instruction: the bytes that the group certainly accessed, and those that it may have accessed.
 */
struct arch_made {
    uintptr_t address; /* [address, address + size) if placed; otherwise the address is unknown */
    size_t size;
    bool placed;
    bool reads, writes;    /* one or both */
    uintptr_t may_address; /* a superset of [address, address + size); equal unless a group */
    size_t may_size;
    uint8_t element; /* bytes per iteration, starting at may_address; otherwise `size` */
};

/* True if a watch for `access` detects such an access. */
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
 * The candidate instructions for the access that hit, for the kernel: only the one that
 * arch_watch_accessor finds. 0: unknown. Context: as arch_watch_accessor.
 */
unsigned arch_watch_candidates(const struct regs *regs, const struct arch_watch *watch,
                               struct arch_candidate candidates[ARCH_CANDIDATES_MAX]);

/*
 * The same for the program that runs on this CPU, for kernels that have programs. No map of
 * instruction starts exists for programs, so these are all instructions that could end at ip and
 * could have accessed the watched bytes: most possible starts yield no instruction, or one that
 * accesses other bytes.
 */
unsigned arch_program_candidates(const struct regs *regs, const struct arch_watch *watch,
                                 struct arch_candidate candidates[ARCH_CANDIDATES_MAX]);

/*
 * True if the machine reports every watch that an access matches; false if it reports only the
 * lowest one, and misses a later access of the same instruction. Not in traps.
 */
bool arch_watch_reports_all(void);

/*
 * True if the machine may report a repeated instruction once per group of iterations, after the
 * last of them, instead of after each iteration that hits; also true until this is known. The first
 * call tests this with a watch: with all other CPUs parked, and before arch_watch_arm, as it leaves
 * no watch armed.
 */
bool arch_watch_groups(void);

/*
 * True if a repeated instruction may end or begin at ip: a hit there may be a group's. `around` is
 * the text from ARCH_REPEAT_AROUND bytes before ip to ARCH_REPEAT_AROUND bytes after it. False
 * positives are allowed.
 */
#define ARCH_REPEAT_AROUND 5
bool arch_watch_repeats(const uint8_t around[2 * ARCH_REPEAT_AROUND]);

/* The same for the kernel's text; also true if this cannot be determined. Debug trap. */
bool arch_watch_repeats_at(const struct regs *regs);

/* Prepares arch_watch_accessor. Returns NULL, or why it will never find an instruction. Boot. */
const char *arch_accessor_init(void);

/* The number of debug traps caused only by disarmed registers: they are ignored. */
uint64_t arch_watch_spurious(void);

/*
 * Checks that CPU's debug registers: true if they hold the armed and live watches. If false, hits
 * have been missed, and the registers are correct from here on. For this CPU, with interrupts off,
 * outside of debug traps; or for a parked CPU, where only the values to be loaded are checked.
 */
bool arch_watch_audit(unsigned cpu);
