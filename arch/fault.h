/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exceptions that no handler expects, and what a trap frame tells in words: for kernel/panic, and
 * for programs that are ended.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regs;

/*
 * Called for each exception that no other handler expects, with interrupts off and watches
 * disarmed, on the interrupted stack or, if that has no room, on the exception's own. What the
 * registers do not tell is in the report below. Must not return. Setting one returns the handler
 * before it, or NULL.
 */
typedef void arch_fault_handler(struct regs *regs);
arch_fault_handler *arch_set_fault_handler(arch_fault_handler *handler);

struct arch_fault {
    const char *name;  /* "page fault" */
    char detail[160];  /* the error code in words, "" where there is none */
    uintptr_t address; /* what the access was to; only where has_address */
    bool has_address;
};

/* Says what `regs` (a trap frame) is the frame of. Crash context. */
void arch_fault_describe(const struct regs *regs, struct arch_fault *fault);

/*
 * Prints through `line`, one line a call, without line ends: general and control registers. Crash
 * context.
 */
void arch_regs_describe(const struct regs *regs, void (*line)(const char *text));
