/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exceptions that no handler expects, and descriptions of trap frames: for kernel/panic, and for
 * the code that terminates a faulting program.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regs;

/*
 * Called for each exception that no other handler expects, with interrupts off and watches
 * disarmed, on the interrupted stack or, if that has no room, on the exception's own.
 * arch_fault_describe supplies what the registers do not show. The handler must not return.
 * arch_set_fault_handler returns the previous handler, or NULL.
 */
typedef void arch_fault_handler(struct regs *regs);
arch_fault_handler *arch_set_fault_handler(arch_fault_handler *handler);

struct arch_fault {
    const char *name;  /* "page fault" */
    char detail[160];  /* the decoded error code, "" if there is none */
    uintptr_t address; /* the address accessed; valid only if has_address */
    bool has_address;
};

/* Describes the cause of the trap frame `regs`. Crash context. */
void arch_fault_describe(const struct regs *regs, struct arch_fault *fault);

/*
 * Passes the general and control registers to `line`, one line per call without a newline. Crash
 * context.
 */
void arch_regs_describe(const struct regs *regs, void (*line)(const char *text));
