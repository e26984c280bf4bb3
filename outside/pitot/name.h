/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names in output: of an address, by its function or as a number; of interrupt vectors; and of the
 * threads that the plugin reports. Called by all code in outside/pitot/ that prints.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/lib/refusal.h"
#include "outside/wire.h"

/* Stand for callers that are not known, and for those in a long chain's middle: no addresses. */
#define NAME_NOT_KNOWN      UINT64_C(0x8000000000000000)
#define NAME_LEFT_OUT       UINT64_C(0x8000000000001000)
#define NAME_NOT_KNOWN_TEXT "[not known]"
#define NAME_LEFT_OUT_TEXT  "[left out]"

#define NAME_ROOM 256 /* longer names are truncated */

/* Writes FUNCTION, or 0x..., to `text`, and returns `text`. */
const char *name_function(uint64_t address, char text[NAME_ROOM]);

/* The same with FUNCTION+0x..., or [unknown], as perf prints after the address. */
const char *name_place(uint64_t address, char text[NAME_ROOM]);

/* --- Interrupt vectors --- */

/* "#PF"; "" if it is no exception, or none that has a name. */
const char *vector_name(int64_t vector);

/* True if the exception has an error code. */
bool vector_has_error(int64_t vector);

/* --- Threads --- */

#define KERNEL_TID 1 /* tid of thread 0: code whose stack is not known; other threads follow */

int threads_add(const struct wire_thread *thread, struct refusal *why);

/* True after threads_add. */
bool threads_known(uint32_t thread);

/* Returns the name or address of the thread's outermost function; "?": no such thread. */
const char *threads_name(uint32_t thread);

/* Returns the number of its program's address space; 0: the kernel's, or no such thread. */
uint32_t threads_space(uint32_t thread);
