/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text from a kernel's file, as it may be printed: an escape sequence in a symbol's name would
 * reach the terminal, and a line end would make a line of its own. Called by outside/pitot/.
 */
#pragma once

#include <stdbool.h>

/*
 * Returns a copy, which the caller frees, with control characters and bytes that are not UTF-8 as
 * \x1b; NULL: no memory.
 */
char *plain_text(const char *text);

/* True if plain_text would change nothing. */
bool plain_is(const char *text);
