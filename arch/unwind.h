/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Architecture support for unwinding: which stacks may be read, and the shapes of frames. For
 * core/unwind, and for code that displays a call chain. Any context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/cpu/regs.h"

/* Memory that an unwinder may read. */
struct arch_stack {
    const char *name;   /* name of a CPU's stack; NULL: a thread's stack, ... */
    const char *thread; /* ... and this is the thread's name */
    /* [guard, low) is unmapped: a stack pointer inside it indicates an overflow */
    uintptr_t guard;
    uintptr_t low, high; /* [low, high) may be read */
};

/* The stack that contains `address`, including its guard and its top; NULL: none. Any context. */
const struct arch_stack *arch_stack_find(uintptr_t address);

/* The following three declarations are used only with frame pointers (UNWINDER=fp). */
enum arch_frame {
    /* fp is this function's: caller's fp at [fp], return address at [fp + 8] */
    ARCH_FRAME_SET,
    /* the caller's fp has been pushed but fp is still the caller's: return address at [sp + 8] */
    ARCH_FRAME_SAVED,
    ARCH_FRAME_NONE, /* fp is the caller's; return address at [sp] */
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
 * Like arch_frame_at, for a program's code, read through `read`. `function` is NULL if the start of
 * the function is unknown.
 */
enum arch_frame arch_frame_read(arch_code_reader *read, const struct arch_stack *of,
                                const uintptr_t *function, uintptr_t ip);

/*
 * True if `return_address` is that of the call in a trap entry; then the caller's "frame" is a
 * struct regs directly above the return address.
 */
bool arch_is_trap_return(uintptr_t return_address);

/* The cause of a trap frame: "page fault", "debug trap", "interrupt". */
const char *arch_trap_name(const struct regs *regs);
