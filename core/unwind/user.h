/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unwinds the program's part of a call chain by frame pointers, from where the kernel's part ended
 * (struct unwind_border); programs keep frame pointers in every build. The function's bytes decide
 * the first step, because execution may be in a prologue, an epilogue or a leaf without a frame;
 * see docs/programs.md.
 *
 * Any context, NMI included: program memory is read through a page table walk that cannot fault,
 * every frame lies above the previous one, and bad values in a program's stack or registers can
 * only end its chain.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/unwind/unwind.h"

/*
 * Provided by the host. `stack`, from the border, is the kernel stack of the thread that runs the
 * program. NULL, or a stack of no thread, selects the program that runs on this CPU. Any context.
 */
struct unwind_programs {
    /* Reads the program's memory; false unless all of it is mapped. */
    bool (*read)(const struct arch_stack *stack, uintptr_t address, void *to, size_t length);
    /* Finds the first byte of the function that contains `ip`; false if it is unknown. */
    bool (*function)(const struct arch_stack *stack, uintptr_t ip, uintptr_t *start);
};

/* Called at boot; until then chains end at the border. */
void unwind_user_set_programs(const struct unwind_programs *known);

/*
 * Stores the program's addresses, innermost first, without the first `border->skip`. Returns their
 * number, at most `most`. `border->crossed` must be true.
 */
size_t unwind_user_capture(const struct unwind_border *border, uint64_t *chain, size_t most);

/* Moves the border's ip, sp and fp to frame `border->skip`; false if there is none. */
bool unwind_user_find(struct unwind_border *border);
