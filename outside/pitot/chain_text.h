/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the callers of a calling context. Of a deep one both ends: recursion to the end of a stack
 * is told by what it began with, and by how often. Called by outside/pitot/blame_text.c, last.c,
 * heap.c and lock_text.c.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

/* `print` writes one line about a caller; a line for what is left out begins with `indent`. */
void chain_print(FILE *file, uint32_t context, const char *indent,
                 void (*print)(FILE *file, uint32_t context));

/*
 * Prints it on one line, `a < b < c`, with `!` before an interrupted place. `ip`: the innermost
 * place; 0: the innermost caller is.
 */
void chain_print_line(FILE *file, uint64_t ip, uint32_t context);
