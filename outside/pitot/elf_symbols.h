/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbols of the kernel's file, for those who ask by core/symbols/symbols.h, whose look-ups
 * elf_symbols.c defines; and its functions. Called by outside/pitot/kernel.c and event.c.
 */
#pragma once

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/symbols/symbols.h"

/* Copies what it keeps. False: the file has no symbols. */
bool elf_symbols_read(Elf *elf);

/* The kernel runs so far above the file's addresses: look-ups by address are of where it runs. */
void elf_symbols_slide(uint64_t slide);

/*
 * The index-th function in the order of addresses; false past the end. Several may have one
 * address.
 */
bool elf_symbols_function(size_t index, struct symbol *found);
