/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arguments of an allocator's function, as text: what follows the function in --alloc,
 * --realloc and --free. Called by outside/pitot/allocators.c.
 */
#pragma once

#include <stdbool.h>

#include "outside/request.h"

/* Reads them, of a function of the allocator's kind. False: they are none. */
bool allocator_text_read(const char *text, struct request_allocator *allocator);

/* Returns what they have to look like. */
const char *allocator_text_form(enum allocator_kind kind);
