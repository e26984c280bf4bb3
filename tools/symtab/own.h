/* SPDX-License-Identifier: BSD-2-Clause */
/* Renames symbols whose names a kernel and Pitot's object in it share. Called by main.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/symtab/table.h"

/*
 * A name that the kernel also has stays the kernel's: the object's symbol becomes pitot.NAME.
 * *symbols is reallocated, with the new names at its end. False: out of memory.
 */
bool own_rename(struct table_symbol **symbols, size_t count);
