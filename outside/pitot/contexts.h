/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calling contexts received from the plugin, and how they are printed. Each names its outer
 * context, so chains are followed outwards. Called by the code of outside/pitot/ that takes
 * records.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/lib/refusal.h"
#include "outside/wire.h"

int contexts_add(const struct wire_context *context, struct refusal *why);

/*
 * These take a context that was added. They return its caller (in a path of functions, its
 * function), its outer context, and true if an interrupt began it.
 */
uint64_t contexts_caller(uint32_t context);
uint32_t contexts_outer(uint32_t context);
bool contexts_by_interrupt(uint32_t context);

/* The address of the first instruction of the function that its caller, or it itself, is in. */
uint64_t contexts_function(uint32_t context);

/* An address in the instruction that called, of which contexts_caller may be the next. */
uint64_t contexts_code(uint32_t context);

/* Returns the number of callers, or -1 if there is no such context. */
long contexts_depth(uint32_t context);

/*
 * Prints the callers of a context. Of a deep one both ends: recursion to the end of a stack is told
 * by what it began with, and by how often. `print` writes one line about a caller; a line for what
 * is left out begins with `indent`.
 */
void chain_print(FILE *file, uint32_t context, const char *indent,
                 void (*print)(FILE *file, uint32_t context));

/*
 * Prints it on one line, `a < b < c`, with `!` before an interrupted place. `ip`: the innermost
 * place; 0: the innermost caller is.
 */
void chain_print_line(FILE *file, uint64_t ip, uint32_t context);
