/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exceptions that no handler expects, and the contents of a trap frame in words: for kernel/panic,
 * and for programs that are ended.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regs;

/*
 * Called for each exception that no other handler expects, with interrupts off and watches
 * disarmed, on the interrupted stack or, if that has no room, on the exception's own. The report
 * below has what the registers do not show. The handler must not return. Setting a handler returns
 * the one before it, or NULL.
 */
typedef void arch_fault_handler(struct regs *regs);
arch_fault_handler *arch_set_fault_handler(arch_fault_handler *handler);

struct arch_fault {
    const char *name;  /* "page fault" */
    char detail[160];  /* the error code in words, "" where there is none */
    uintptr_t address; /* the address of the access; only if has_address */
    bool has_address;
};

/* Describes the cause of the trap frame `regs`. Crash context. */
void arch_fault_describe(const struct regs *regs, struct arch_fault *fault);

/*
 * Prints through `line`, one line a call, without line ends: general and control registers. Crash
 * context.
 */
void arch_regs_describe(const struct regs *regs, void (*line)(const char *text));
