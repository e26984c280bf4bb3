/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an unwinder needs from the architecture: which stacks may be read, and the shapes of frames.
 * For core/unwind, and for code that shows a chain. Any context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/cpu/regs.h"

/* The memory that an unwinder may read. */
struct arch_stack {
    const char *name;   /* the name of the CPU's stack; NULL: it is a thread's, */
    const char *thread; /* ... and this is the thread's name */
    /* [guard, low) is unmapped: a stack pointer in it shows an overflow */
    uintptr_t guard;
    uintptr_t low, high; /* [low, high) may be read */
};

/*
 * The stack that contains `address`, including its guard and its top; NULL: no stack does. Any
 * context.
 */
const struct arch_stack *arch_stack_find(uintptr_t address);

/* The next three are used only for frame pointers (UNWINDER=fp). */
enum arch_frame {
    /* the frame pointer is this function's: [fp] caller's fp, [fp + 8] return address */
    ARCH_FRAME_SET,
    /* the caller's fp has been pushed but fp is still the caller's: return address at [sp + 8] */
    ARCH_FRAME_SAVED,
    ARCH_FRAME_NONE, /* fp is the caller's, the return address is at [sp] */
};

/*
 * The state of the frame of the function that begins at `function`, just before the instruction at
 * `ip` runs.
 */
enum arch_frame arch_frame_at(uintptr_t function, uintptr_t ip);

/* Reads memory of the program that the stack's thread runs; false if not all of it is mapped. */
typedef bool arch_code_reader(const struct arch_stack *of, uintptr_t address, void *to,
                              size_t length);

/*
 * As arch_frame_at, for a program's code, which is read by `read`. `function` is NULL if the
 * function's beginning is not known.
 */
enum arch_frame arch_frame_read(arch_code_reader *read, const struct arch_stack *of,
                                const uintptr_t *function, uintptr_t ip);

/*
 * True if `return_address` belongs to the call in a trap entry: then the caller's "frame" is a
 * struct regs directly above the return address.
 */
bool arch_is_trap_return(uintptr_t return_address);

/* The cause of a trap frame: "page fault", "debug trap", "interrupt". */
const char *arch_trap_name(const struct regs *regs);
