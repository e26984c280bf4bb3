/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads symbols as text, for a kernel without its ELF file: the output of nm, with or without
 * sizes, or the map of GNU ld. Called by outside/pitot/kernel.c.
 *
 * A map has no static functions, so the code before an object's first global function gets the
 * object's name.
 */
#pragma once

#include "core/lib/refusal.h"

/* Adds the symbols to those of elf_symbols.h. */
int symbol_list_read(const char *path, struct refusal *why);
