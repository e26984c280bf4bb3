/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text from a kernel's file, or a file's name, as it may be printed: an escape sequence in it would
 * reach the terminal, and a line end would make a line of its own. Called by outside/pitot/.
 */
#pragma once

#include <stdbool.h>

/*
 * Returns a copy, which the caller frees, with control characters and bytes that are not UTF-8 as
 * \x1b; NULL: no memory.
 */
char *plain_text(const char *text);

/* Prints on stderr what plain_text makes of it, and a line end. */
__attribute__((format(printf, 1, 2))) void plain_tell(const char *format, ...);

/* True if plain_text would change nothing. */
bool plain_is(const char *text);
