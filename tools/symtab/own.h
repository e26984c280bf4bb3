/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that a kernel and Pitot's object in it share. Called by main.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/symtab/table.h"

/*
 * A name that a symbol of the kernel's has, too, is the kernel's: the object's symbol is called
 * pitot.NAME from here on. *symbols is reallocated, and its new names lie at its end. False: out of
 * memory.
 */
bool own_rename(struct table_symbol **symbols, size_t count);
