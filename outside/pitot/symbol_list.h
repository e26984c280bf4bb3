/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads symbols as text, for a kernel without its ELF file: the output of nm (with or without
 * sizes), or the map of GNU ld. The content shows which of them it is. Called by
 * outside/pitot/kernel.c.
 *
 * A map has no static functions. So the code of an object before its first global function is given
 * the name of the object.
 */
#pragma once

#include "core/lib/refusal.h"

/* Adds the symbols to those of elf_symbols.h. 0, or a negative errno and the reason. */
int symbol_list_read(const char *path, struct refusal *why);
