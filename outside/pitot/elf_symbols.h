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

/*
 * struct symbol's kind. A mangled name of C++ or Rust is there twice, as it is in the file and as
 * people read it, which has the kind in upper case; look-ups by address prefer the latter.
 */
#define ELF_SYMBOLS_FUNCTION 't'
#define ELF_SYMBOLS_DATA     'd'

bool elf_symbols_is_readable(const struct symbol *symbol);

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
