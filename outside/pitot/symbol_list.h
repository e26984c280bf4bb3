/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbols as text, for a kernel whose ELF file is not there: what nm prints (with or without
 * sizes), or the map of GNU ld. Which of them it is is told by its content. Called by
 * outside/pitot/kernel.c.
 *
 * A map has no static functions. So where the code of an object begins, the object's name stands
 * for what comes before its first global function.
 */
#pragma once

#include "core/lib/refusal.h"

/* Adds them to those of elf_symbols.h. 0, or a negative errno and the reason. */
int symbol_list_read(const char *path, struct refusal *why);
