/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How an address is named in text: by the function that it lies in, or as a number. Called by all
 * of outside/pitot/ that prints.
 */
#pragma once

#include <stdint.h>

#define NAME_ROOM 256 /* what is longer is cut */

/* Returns `text`: FUNCTION, or 0x... */
const char *name_function(uint64_t address, char text[NAME_ROOM]);

/* ... FUNCTION+0x..., or [unknown], as perf has it beside the address. */
const char *name_place(uint64_t address, char text[NAME_ROOM]);
