/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The symbols and functions of the kernel's file, and what reads them. elf_symbols.c implements the
 * lookups of core/symbols/symbols.h. Called by outside/pitot/kernel.c and event.c.
 */
#pragma once

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/lib/refusal.h"
#include "core/symbols/symbols.h"

/*
 * Values of struct symbol's kind. A mangled C++ or Rust name has two entries: the name in the file,
 * and a readable name with the kind in upper case. Lookups by address prefer the readable one.
 */
#define ELF_SYMBOLS_FUNCTION 't'
#define ELF_SYMBOLS_DATA     'd'

bool elf_symbols_is_readable(const struct symbol *symbol);

/*
 * `address_of` maps a symbol's value to its address. False: no memory, or no symbols in the file.
 */
bool elf_symbols_read(Elf *elf, uint64_t (*address_of)(uint64_t value));

/* True if perf would leave out a function that elf_symbols_read has read. */
bool elf_symbols_lacking_in_perf(void);

/*
 * For symbols that are not from an ELF file: add a symbol, and sort all. False: no memory, or
 * nothing to sort.
 */
bool elf_symbols_add(const char *name, uint64_t address, uint64_t size, bool function);
bool elf_symbols_sort(void);

/*
 * Sets the kernel's run-time address minus its link address. Lookups by address take run-time
 * addresses.
 */
void elf_symbols_slide(uint64_t slide);
uint64_t elf_symbols_slid(void);

/*
 * Finds function `index` in address order; false past the end. Several may have the same address.
 */
bool elf_symbols_function(size_t index, struct symbol *found);

/* The same of variables. */
bool elf_symbols_variable(size_t index, struct symbol *found);

/* Finds the variable that has this run-time address, or begins there. */
bool elf_symbols_find_variable(uint64_t address, struct symbol *found);

/*
 * The readable name of a C++ or Rust symbol, as perf shows it: without parameters and hashes. The
 * caller frees it; NULL: the symbol is not mangled, its readable name is too long, or there is no
 * memory.
 */
char *demangle(const char *mangled);

/*
 * Checks the headers of an ELF file before anything else is read by them: once this returned 0,
 * each segment and section lies in the file, and in memory, so a truncated or forged file is
 * refused.
 */
int elf_check(Elf *elf, const char *path, struct refusal *why);

/*
 * Adds symbols that are text, for a kernel without its ELF file: the output of nm, with or without
 * sizes, or the map of GNU ld. A map has no static functions, so the code before an object's first
 * global function gets the object's name.
 */
int symbol_list_read(const char *path, struct refusal *why);
