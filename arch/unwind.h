/* SPDX-License-Identifier: BSD-2-Clause */
/* Stacks that may be read, and the shapes of frames: for call chains. Any context. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/regs.h"

/* Memory that an unwinder may read. */
struct arch_stack {
    const char *name;   /* name of a CPU's stack; NULL for a thread's stack */
    const char *thread; /* the thread's name, if `name` is NULL */
    /* [guard, low) is unmapped: a stack pointer there means an overflow */
    uintptr_t guard;
    uintptr_t low, high; /* [low, high) may be read */
};

/*
 * Returns the stack that contains `address`, counting its guard and its top as inside; NULL if
 * none. Any context.
 */
const struct arch_stack *arch_stack_find(uintptr_t address);

/* --- With frame pointers (UNWINDER=fp). --- */
enum arch_frame {
    /* fp is set: the caller's fp at [fp], the return address at [fp + 8] */
    ARCH_FRAME_SET,
    /* fp is pushed, not set: the return address at [sp + 8] */
    ARCH_FRAME_SAVED,
    ARCH_FRAME_NONE, /* fp is the caller's, the return address at [sp] */
};

/* Returns the frame of the function at `function` before the instruction at `ip` runs. */
enum arch_frame arch_frame_at(uintptr_t function, uintptr_t ip);

/* Reads memory of the stack's program; false if not all of it is mapped. */
typedef bool arch_code_reader(const struct arch_stack *of, uintptr_t address, void *to,
                              size_t length);

/*
 * Like arch_frame_at, for a program's code, which is read with `read`; `function` is NULL if its
 * start is unknown.
 */
enum arch_frame arch_frame_read(arch_code_reader *read, const struct arch_stack *of,
                                const uintptr_t *function, uintptr_t ip);

/* True if a call in a trap entry returns to this address: a struct regs is directly above it. */
bool arch_is_trap_return(uintptr_t return_address);

/* The cause of a trap frame: "page fault", "debug trap", "interrupt"; NULL: not known. */
const char *arch_trap_name(const struct regs *regs);
