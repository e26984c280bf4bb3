/* SPDX-License-Identifier: BSD-2-Clause */
/* Unexpected exceptions, and descriptions of trap frames: for reports. Crash context. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regs;

/*
 * Called for each exception without a handler, interrupts and watches off, on the interrupted stack
 * if it has room. Must not return. arch_set_fault_handler returns the previous handler, or NULL.
 */
typedef void arch_fault_handler(struct regs *regs);
arch_fault_handler *arch_set_fault_handler(arch_fault_handler *handler);

struct arch_fault {
    const char *name;  /* "page fault" */
    char detail[160];  /* the error code in words, or "" */
    uintptr_t address; /* the accessed address, if has_address */
    bool has_address;
};

void arch_fault_describe(const struct regs *regs, struct arch_fault *fault);

/* Passes the general and control registers to `line`, a line at a time. Crash context. */
void arch_regs_describe(const struct regs *regs, void (*line)(const char *text));
