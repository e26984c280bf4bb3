/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What an unwinder asks: which stacks may be read, and what only the CPU's manual knows about a
 * frame. For core/unwind, and for code that shows a chain. Any context.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/cpu/regs.h"

/* The memory that an unwinder may read. */
struct arch_stack {
    const char *name;   /* the CPU's stack for this; NULL: a thread's, */
    const char *thread; /* that thread's name */
    /* [guard, low) is unmapped: a stack pointer in there tells of an overflow */
    uintptr_t guard;
    uintptr_t low, high; /* [low, high) may be read */
};

/*
 * The stack that `address` lies in, its guard and its top included; NULL where in none. Any
 * context.
 */
const struct arch_stack *arch_stack_find(uintptr_t address);

/* The next three are asked by frame pointers alone (UNWINDER=fp). */
enum arch_frame {
    /* the frame pointer is this function's: [fp] caller's fp, [fp + 8] return address */
    ARCH_FRAME_SET,
    /* the caller's fp has been pushed but fp is still the caller's: return address at [sp + 8] */
    ARCH_FRAME_SAVED,
    ARCH_FRAME_NONE, /* fp is the caller's, the return address is at [sp] */
};

/*
 * Where the frame of the function that begins at `function` stands just before the instruction at
 * `ip` runs.
 */
enum arch_frame arch_frame_at(uintptr_t function, uintptr_t ip);

/* Memory of the program that the stack's thread is in; false: not all of it is there. */
typedef bool arch_code_reader(const struct arch_stack *of, uintptr_t address, void *to,
                              size_t length);

/*
 * As arch_frame_at, of a program's code, which is read by `read`. `function` is NULL if the
 * function's beginning is not known.
 */
enum arch_frame arch_frame_read(arch_code_reader *read, const struct arch_stack *of,
                                const uintptr_t *function, uintptr_t ip);

/*
 * True if `return_address` is that of the call that a trap entry makes: the caller's "frame" is
 * then a struct regs at the address right above the return address.
 */
bool arch_is_trap_return(uintptr_t return_address);

/* What brought a trap frame about: "page fault", "debug trap", "interrupt". */
const char *arch_trap_name(const struct regs *regs);
