/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The program's part of a call chain, from where the kernel's part ended (struct unwind_border), by
 * frame pointers: programs keep them in every build. The function's bytes decide the first step, as
 * execution may be in a prologue, an epilogue or a leaf without a frame; docs/programs.md tells
 * how.
 *
 * Any context, NMI included: the program's memory is read by a walk over its page tables that
 * cannot fault, every frame lies above the one before, and whatever a program leaves in its stack
 * or its registers can only end its chain.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/unwind/unwind.h"

/*
 * What the host knows about programs. `stack` comes from the border: it is the kernel stack of the
 * thread that runs the program. NULL, or a stack of no thread, means the program that runs on this
 * CPU. Any context.
 */
struct unwind_programs {
    /* Reads bytes of its memory; false if not all of them are mapped. */
    bool (*read)(const struct arch_stack *stack, uintptr_t address, void *to, size_t length);
    /* Finds the first byte of the function that contains `ip`; false: it is not known. */
    bool (*function)(const struct arch_stack *stack, uintptr_t ip, uintptr_t *start);
};

/* At boot. Until then chains end at the border. */
void unwind_user_set_programs(const struct unwind_programs *known);

/*
 * Stores the addresses, innermost first, without the first `border->skip`; returns how many, at
 * most `most`. The border has been crossed.
 */
size_t unwind_user_capture(const struct unwind_border *border, uint64_t *chain, size_t most);

/* Moves the border's ip, sp and fp to its `skip`-th frame; false if there is none. */
bool unwind_user_find(struct unwind_border *border);
