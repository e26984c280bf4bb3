/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contract (arch/) for tests on the host: the test sets the CPU's state, and reads back what
 * was written to it. arch_frame_at is not here: a test of call chains links
 * arch/x86_64/unwind/frame.c. Faults and halting have no fake.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/cpu.h"
#include "arch/regs.h"
#include "arch/step.h"
#include "arch/unwind.h"
#include "arch/watch.h"

/* [start, end); `what` is what a refusal is to call it. */
struct fake_range {
    uintptr_t start, end;
    const char *what;
};

#define FAKE_STACKS_MAX 6
#define FAKE_CALLS_MAX  32

struct fake_arch {
    uint64_t clock;      /* what arch_clock_ns returns next; */
    uint64_t clock_step; /* then it advances by this much */
    unsigned cpu;
    unsigned cpus; /* how many there are, all running; 0: one */
    bool irqs_off;

    unsigned parked;       /* calls of arch_cpus_park that have not been released */
    unsigned parks;        /* ... and those that parked, in all */
    bool park_absent;      /* CPU 1 does not answer */
    void (*on_park)(void); /* called once, when the others are about to be parked, if set */
    uint64_t park_flags;

    struct fake_range unmapped;   /* all other memory is mapped */
    struct fake_range devices;    /* mapped, but not to be read */
    struct fake_range executable; /* no other memory is */
    struct fake_range forbidden;

    uintptr_t text_start, text_plain_end, text_end;
    uintptr_t trap_return;       /* the one return address into the trap entries */
    void (*on_stack_find)(void); /* called before each arch_stack_find, if set */

    struct arch_stack stacks[FAKE_STACKS_MAX];
    unsigned stack_count;

    unsigned trap_depth;
    bool interrupted;
    int sites_set;  /* on less off, of all sites */
    int site_error; /* what arch_site_set returns next */

    /* Debug registers. */
    arch_watch_handler *handler;
    struct arch_watch watches[ARCH_WATCHES];
    unsigned watch_count;
    bool armed;
    unsigned deselected[ARCH_CPUS_MAX]; /* bit i: watch i is not live on that CPU */
    const volatile uint64_t *watched;   /* what arch_watch_word tells, if set; else a word of 0 */
    struct arch_accessor accessor;      /* what arch_watch_accessor tells */
    bool groups;                        /* a trap may report a group of iterations */
    bool lowest_only;                   /* the machine reports the lowest watch that matches */
    bool beside;                        /* the machine may report a watch that was not hit */
    bool knows_access;                  /* arch_watch_candidates tells the access; else nothing */
    bool modifies;                      /* accesses that read write, too, by one instruction */
    struct arch_made made;

    /* Single steps. */
    arch_step_handler *stepped, *resumed;
    unsigned steps_begun;  /* calls of arch_step_begin */
    bool step_excludes;    /* what arch_step_excludes_watches returns */
    uintptr_t step_leaves; /* no step is possible with this ip; 0: with each */
    uint64_t branches;     /* bit i: the instruction at `text_start` + i branches */
    /* in order: '-' irqs off or CPUs parked, 'd' disarm, 'a' arm, '+' irqs on again */
    char calls[FAKE_CALLS_MAX];
};

extern struct fake_arch fake_arch;

/*
 * Everything as before the test: stacks freed, nothing armed, the handler kept. Fits cmocka's
 * setup.
 */
int fake_arch_reset(void **state);

/*
 * A stack of so many words, with a guard of FAKE_GUARD bytes below it; reads beside the words kill
 * the test. Valid until the next reset.
 */
#define FAKE_GUARD 4096
const struct arch_stack *fake_stack_add(const char *name, size_t words);
uint64_t *fake_stack_words(const struct arch_stack *stack);

/* How a machine reports an access that several watches match. */
enum fake_report {
    FAKE_REPORT_ALL,    /* real processors, Bochs */
    FAKE_REPORT_LOWEST, /* QEMU's TCG */
};

/*
 * The CPU makes an access of `length` bytes. Returns the bits of the watches that match it,
 * whatever was reported.
 */
unsigned fake_arch_access(uintptr_t address, size_t length, enum arch_access access,
                          enum fake_report report, struct regs *regs);
