/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small kernel made of symbols only: fake_symbols.c answers core/symbols.h for it, and writes
 * it as assembly, out of which a test links the ELF that the real perf takes the same names from.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/symbols.h"

#define FAKE_TEXT  0xffffffff80100000
#define FAKE_PARTS 2 /* source files; a local name may occur once in each */

size_t fake_symbols_count(void);
struct symbol fake_symbols_at(size_t index); /* in order of addresses */
size_t fake_symbols_text_size(void);
void fake_symbols_write(FILE *file, unsigned int part);
