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

#define ELF_SYMBOLS_FUNCTION 't' /* struct symbol's kind of a function */

/* Copies what it keeps. `address_of` a symbol's value. False: the file has no symbols. */
bool elf_symbols_read(Elf *elf, uint64_t (*address_of)(uint64_t value));

/*
 * The symbols of what is no such file, one after the other; then sorted. False: no memory; none was
 * added.
 */
bool elf_symbols_add(const char *name, uint64_t address, uint64_t size, bool function);
bool elf_symbols_sort(void);

/* The kernel runs so far above the file's addresses: look-ups by address are of where it runs. */
void elf_symbols_slide(uint64_t slide);

/*
 * The index-th function in the order of addresses; false past the end. Several may have one
 * address.
 */
bool elf_symbols_function(size_t index, struct symbol *found);
