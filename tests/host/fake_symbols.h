/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small kernel made only of symbols: fake_symbols.c answers core/symbols/symbols.h for it, and
 * writes it as assembly, from which a test links the ELF file where the real perf finds the same
 * names.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/symbols/symbols.h"

#define FAKE_TEXT  0xffffffff80100000
#define FAKE_PARTS 2 /* source files; a local name may occur once in each */

/*
 * Two programs, which user_place_find (core/symbols/symbols.h) knows: processes with these pids
 * run them, at the same addresses.
 */
#define FAKE_PROGRAMS       2
#define FAKE_PROGRAM_TEXT   0x401000
#define FAKE_PROGRAM_OFFSET 0x1000 /* the text's offset in the file */
#define FAKE_PROGRAM_PID(n) (2u + (n))

const char *fake_program_path(unsigned int program);
size_t fake_program_count(unsigned int program); /* of functions */
struct symbol fake_program_at(unsigned int program, size_t index);
size_t fake_program_text_size(unsigned int program);
void fake_program_write(FILE *file, unsigned int program);

size_t fake_symbols_count(void);
struct symbol fake_symbols_at(size_t index); /* in order of addresses */
size_t fake_symbols_text_size(void);
void fake_symbols_write(FILE *file, unsigned int part);
