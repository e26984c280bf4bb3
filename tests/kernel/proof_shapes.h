/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of every shape that an unwinder must know, to be stepped through: see proof_shapes.c
 * and proof_shapes.asm. Task context, interrupts on.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SHAPE_DEPTH 100 /* depth of shape_recursive's calls */

#define SHAPES_ESCAPED 3 /* frames that one run leaves without a return */

/* Runs all but one of them; returns a sum that depends on each. */
uint64_t shapes_run(void);

/*
 * A special shape: for a few instructions its frame is relative to a register that chains do not
 * follow otherwise (r10). If an interrupt occurs there, and its entry is interrupted in turn before
 * it has saved that register, the caller cannot be found.
 */
uint64_t shapes_run_realigned(void);

/* In proof_shapes.c; the claims look for them in the stepped places. */
uint64_t shape_leaf(uint64_t value);
uint64_t shape_many_registers(uint64_t value);
uint64_t shape_realigned_variable(uint64_t value);
uint64_t shape_recursive(uint64_t depth);
uint64_t shape_tail_called(uint64_t value);
_Noreturn void shape_never_returning(uint64_t value);

/* In proof_shapes.asm. */
uint64_t shape_tail_calling(uint64_t value, uint64_t (*function)(uint64_t value));
uint64_t shape_string(void *to, const void *from, size_t length);
uint64_t shape_pushing(uint64_t value);
uint64_t shape_framed(uint64_t value);
void shape_exception(void);
void shape_try(void (*function)(uint64_t value), uint64_t value);
void shape_never_returning_caller(uint64_t value);
_Noreturn void shape_escape(void);
