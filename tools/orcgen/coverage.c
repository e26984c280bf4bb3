/* SPDX-License-Identifier: BSD-2-Clause */
/* See coverage.h. */
#include "tools/orcgen/coverage.h"

#include <string.h>

#define FILL_ZERO  0x00 /* where the linker script moves on */
#define FILL_BREAK 0xcc
#define NOP        0x90

#define PREFIX_SIZE 0x66
#define PREFIX_CS   0x2e

static bool name_bare(const struct text *text, uint32_t offset)
{
    return image_complain(text->image,
                          "%s: code that no call frame information covers: compile it with "
                          "-fasynchronous-unwind-tables, write it with arch/x86_64/unwind/cfi.inc",
                          text_describe(text, offset).words);
}

/* A function covers its bytes or says how many they are; padding is never one. */
static bool check_functions(const struct text *text, const uint8_t *covered)
{
    for (size_t i = 0; i < text->symbol_count; i++) {
        const struct text_symbol *symbol = &text->symbols[i];
        const uint8_t *bare =
            symbol->function ? memchr(covered + symbol->offset, 0, symbol->size) : NULL;
        if (bare)
            return name_bare(text, (uint32_t)(bare - covered));
    }
    return true;
}

/*
 * Length of what a ModRM byte begins, SIB and displacement included (Intel SDM vol. 2, "ModR/M and
 * SIB Bytes").
 */
static uint32_t modrm_length(const uint8_t *bytes, uint32_t left)
{
    unsigned mode = bytes[0] >> 6, memory = bytes[0] & 7;
    uint32_t length = 1;

    if (mode == 3)
        return length;
    if (memory == 4) {
        if (left < 2)
            return left + 1;
        memory = mode == 0 && (bytes[1] & 7) == 5 ? 5 : 4;
        length++;
    }
    if (mode == 2 || (mode == 0 && memory == 5))
        return length + 4;
    return length + mode;
}

/* How many bytes of padding begin here; 0 if the byte begins something else. */
static uint32_t padding_length(const uint8_t *bytes, uint32_t left)
{
    uint32_t at = 0;

    if (bytes[0] == FILL_ZERO || bytes[0] == FILL_BREAK)
        return 1;
    while (at < left && (bytes[at] == PREFIX_SIZE || bytes[at] == PREFIX_CS))
        at++;
    if (at < left && bytes[at] == NOP)
        return at + 1;
    if (left - at < 3 || bytes[at] != 0x0f || bytes[at + 1] != 0x1f || bytes[at + 2] >> 3 & 7)
        return 0;
    at += 2;
    at += modrm_length(bytes + at, left - at);
    return at <= left ? at : 0;
}

static bool check_gap(const struct text *text, uint32_t start, uint32_t end)
{
    while (start < end) {
        uint32_t length = padding_length(text->bytes + start, end - start);
        if (length == 0)
            return name_bare(text, start);
        start += length;
    }
    return true;
}

bool coverage_check(const struct text *text, const uint8_t *covered)
{
    uint32_t start = 0, end;

    if (!check_functions(text, covered))
        return false;
    for (; start < text->size; start = end) {
        uint8_t side = covered[start];
        for (end = start; end < text->size && covered[end] == side;)
            end++;
        if (!side && !check_gap(text, start, end))
            return false;
    }
    return true;
}
