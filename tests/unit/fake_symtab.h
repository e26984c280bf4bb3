/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reserved section for core/symbols/symbols.c on the host, and a way to fill it as tools/symtab
 * fills the kernel's.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "core/abi/symtab.h"
#include "tools/symtab/table.h"

#define FAKE_SYMTAB_SIZE 0x100000

/* Ends at symtab_end; reads past the end kill the test. */
extern char fake_symtab[FAKE_SYMTAB_SIZE];
extern const uint8_t fake_build_id[SYMTAB_BUILD_ID_SIZE];

/*
 * Builds the table of these symbols, in a copy of the list, and passes it to symbols_init, which
 * must accept it.
 */
void fake_symtab_load(const struct table_symbol *symbols, size_t count);

/* A list element with defaults for what tests seldom care about. */
struct table_symbol fake_object(const char *name, uint64_t address, uint64_t size);
struct table_symbol fake_function(const char *name, uint64_t address, uint64_t size);
struct table_symbol fake_label(const char *name, uint64_t address);
