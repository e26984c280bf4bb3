/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end: a report of why, the registers, how we got here and what happened just before, then the
 * machine stops. Crash context: any stack, any lock held; takes no lock, allocates nothing, prints
 * by polling.
 */
#pragma once

#include "arch/regs.h"
#include "core/lib/print.h"

__attribute__((format(printf, 1, 2))) _Noreturn void panic(const char *format, ...);

/* What the machine can do for a report; each may be NULL. */
struct panic_machine {
    void (*limit_waits)(void); /* first: output must not wait for ever any more */
    struct sink *console;      /* its own: tells that a report failed, as where print() goes, a
                                * debugger say, may be what failed */
    void (*stop)(void);        /* last: ends an emulator, say; may return */
};

/* Called when a report has been made, with what it was about: a debugger's. Any context. */
void panic_set_debugger(void (*with)(const struct regs *regs));

/* Sends unexpected exceptions here. Boot. */
void panic_init(const struct panic_machine *with);

/* The chain from `regs` to the console, as core/console/backtrace.h has it. */
void panic_print_chain(const struct regs *regs);

/* The newest samples of a recording; NULL: there is none. Any context. */
struct record_source;
void panic_print_samples(struct record_source *source);
