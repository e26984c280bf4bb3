/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program's part of a call chain, from where the kernel's has led (struct unwind_border), by
 * frame pointers: programs keep them in every build. The first step is told from the function's
 * bytes, as execution may stand in a prologue, an epilogue or a leaf without a frame;
 * docs/user-perf.md tells how.
 *
 * Any context, NMI included: the program's memory is read by a walk over its page tables that
 * cannot fault, every frame lies above the one before, and nothing that a program can leave in its
 * stack or its registers does more than to end its chain.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/unwind/unwind.h"

/*
 * What the host knows of programs. `stack` is the border's: the kernel stack of the thread whose
 * program is meant. NULL, or a stack of no thread, means the program that runs on this CPU. Any
 * context.
 */
struct unwind_programs {
    /* Bytes of its memory; false: not all of them are there. */
    bool (*read)(const struct arch_stack *stack, uintptr_t address, void *to, size_t length);
    /* The first byte of the function that `ip` lies in; false: not known. */
    bool (*function)(const struct arch_stack *stack, uintptr_t ip, uintptr_t *start);
};

/* At boot. Until then chains end at the border. */
void unwind_user_set_programs(const struct unwind_programs *known);

/*
 * The addresses, innermost first, the first `border->skip` left out; returns how many, `most` at
 * most. The border is one that was crossed.
 */
size_t unwind_user_capture(const struct unwind_border *border, uint64_t *chain, size_t most);

/* Moves the border to its `skip`-th frame, ip, sp and fp; false if there is none. */
bool unwind_user_find(struct unwind_border *border);
