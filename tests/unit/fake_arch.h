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

/* [start, end); `what` is its name in a refusal. */
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
    unsigned cpus; /* the number of CPUs, all running; 0: one */
    bool irqs_off;

    unsigned parked;       /* calls of arch_cpus_park that have not been released */
    unsigned parks;        /* ... and the total of those that parked */
    bool park_absent;      /* CPU 1 does not answer */
    void (*on_park)(void); /* if set, called once, before the others are parked */
    uint64_t park_flags;

    struct fake_range unmapped;   /* all other memory is mapped */
    struct fake_range devices;    /* mapped, but must not be read */
    struct fake_range executable; /* no other memory is executable */
    struct fake_range forbidden;

    uintptr_t text_start, text_plain_end, text_end;
    uintptr_t trap_return;       /* the only return address into the trap entries */
    void (*on_stack_find)(void); /* if set, called before each arch_stack_find */

    struct arch_stack stacks[FAKE_STACKS_MAX];
    unsigned stack_count;

    unsigned trap_depth;
    bool interrupted;
    int sites_set;  /* sites turned on minus those turned off */
    int site_error; /* what arch_site_set returns next */

    /* Debug registers. */
    arch_watch_handler *handler;
    struct arch_watch watches[ARCH_WATCHES];
    unsigned watch_count;
    bool armed;
    unsigned deselected[ARCH_CPUS_MAX]; /* bit i: watch i is disabled on that CPU */
    const volatile uint64_t *watched;   /* read by arch_watch_word; NULL: a word of 0 */
    struct arch_accessor accessor;      /* what arch_watch_accessor returns */
    bool groups;                        /* a trap may report a group of iterations */
    bool lowest_only;                   /* the machine reports the lowest watch that matches */
    bool beside;                        /* the machine may report a watch that was not hit */
    bool knows_access;                  /* whether arch_watch_candidates returns it */
    bool modifies;                      /* accesses that read also write, by one instruction */
    struct arch_made made;

    /* Single steps. */
    arch_step_handler *stepped, *resumed;
    unsigned steps_begun;  /* calls of arch_step_begin */
    bool step_excludes;    /* what arch_step_excludes_watches returns */
    uintptr_t step_leaves; /* with this ip no step is possible; 0: always possible */
    uint64_t branches;     /* bit i: the instruction at `text_start` + i branches */
    /* in order: '-' irqs off or CPUs parked, 'd' disarm, 'a' arm, '+' irqs on again */
    char calls[FAKE_CALLS_MAX];
};

extern struct fake_arch fake_arch;

/* Resets everything: stacks freed, nothing armed, the handler kept. Usable as cmocka's setup. */
int fake_arch_reset(void **state);

/*
 * Adds a stack of `words` words, with a guard of FAKE_GUARD bytes below it; reads outside of the
 * words kill the test. Valid until the next reset.
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
