/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions as options name them, with what is said about their arguments: FUNCTION:ARGUMENTS.
 * Called by outside/pitot/allocators.c and lock_functions.c.
 */
#pragma once

/* Cuts the text after the function's name, which may have "::". Returns ARGUMENTS; NULL: none. */
char *function_split(char *text);
