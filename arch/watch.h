/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debug registers, and which instruction made an access that hit. Policy (owners, sharing,
 * refusals) is core/breakpoint's. Changes in task context with all other CPUs parked, handlers on
 * the debug trap's own stack.
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
 * Disarm, change what the hit handler looks at, arm: called in this order with all other CPUs
 * parked, which are armed alike when they resume. Watch i goes into register i, and a hit is
 * reported as bit i. Between the two calls no watch can hit, not from an NMI either. Alone, the
 * first disarms this CPU.
 */
void arch_watch_disarm(void);
void arch_watch_arm(const struct arch_watch *watches, unsigned count);

/*
 * Which of the armed are live on that CPU, bit i for watch i: they are all at first. That CPU is
 * this one with interrupts off, or another that is parked; takes effect when it resumes.
 */
void arch_watch_select(unsigned cpu, unsigned watches);

/* How many are armed on that CPU, or will be as soon as it leaves its debug traps. Any context. */
unsigned arch_watches(unsigned cpu);

/*
 * What must not be watched: NULL, or what `address`..`address + length` overlaps, in words for a
 * refusal.
 */
const char *arch_watch_forbidden(uintptr_t address, size_t length);

/*
 * Called for each debug trap that an armed watch explains: bit i of `fired` is watch i. Runs on the
 * debug trap's own stack with interrupts off and watches disarmed; may not fault, lock, allocate or
 * trap.
 */
typedef void arch_watch_handler(unsigned fired, struct regs *regs);
void arch_watch_set_handler(arch_watch_handler *handler);

/*
 * The aligned word of eight bytes that holds the watched bytes, as its hits may read it; a word
 * that is always 0 where there is nothing to read: for ARCH_EXECUTE, where the bytes are not
 * arch_readable (any more), and in a program's, which is not the kernel's to follow. Any context.
 */
const volatile uint64_t *arch_watch_word(const struct arch_watch *watch);

enum arch_found {
    ARCH_FOUND_NOT,    /* more than one instruction can have done it, or none that is known */
    ARCH_FOUND_AT,     /* ARCH_EXECUTE: it is the one at ip */
    ARCH_FOUND_BEFORE, /* it ends at ip */
    ARCH_FOUND_STRING, /* it is repeated: it stands at ip or ends there */
    ARCH_FOUND_CALL,   /* it called ip */
};

struct arch_accessor {
    uintptr_t ip; /* its first byte; 0 for ARCH_FOUND_NOT */
    enum arch_found found;
};

/*
 * The instruction whose access to these watched bytes raised the debug trap that `regs` is the
 * frame of. Never a wrong one. In a watch handler, before the watched bytes are written again.
 */
struct arch_accessor arch_watch_accessor(const struct regs *regs, const struct arch_watch *watch);

/* One access that an instruction made. */
struct arch_made {
    uintptr_t address; /* [address, address + size), if placed; else it is not known where */
    uint8_t size;
    bool placed;
    bool reads, writes; /* one or both */
};

#define ARCH_MADE_MAX 2

/*
 * All data accesses of the instruction that arch_watch_accessor names, one of which hit. 0: it
 * names none, or this one is not known. Context: as arch_watch_accessor.
 */
unsigned arch_watch_made(const struct regs *regs, const struct arch_watch *watch,
                         struct arch_made made[ARCH_MADE_MAX]);

/*
 * True if the machine reports each watch that an access matches; false: the lowest one alone, and
 * not what a later access of the same instruction matches. Not in traps.
 */
bool arch_watch_reports_all(void);

/* What arch_watch_accessor needs. NULL; or why it will never find any. Boot. */
const char *arch_accessor_init(void);

/* Debug traps that only disarmed registers explain: ignored, but counted. */
uint64_t arch_watch_spurious(void);

/*
 * The account of watches: true if that CPU's debug registers have what is armed and live there. If
 * not, hits have been missed, and they have it from here on. This CPU, interrupts off, outside of
 * debug traps; or a parked one, of which only what it is about to load is looked at.
 */
bool arch_watch_audit(unsigned cpu);
