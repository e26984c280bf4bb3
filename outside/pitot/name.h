/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names an address in output: by its function, or as a number. Called by all code in outside/pitot/
 * that prints.
 */
#pragma once

#include <stdint.h>

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
