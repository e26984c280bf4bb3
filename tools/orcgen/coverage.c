/* SPDX-License-Identifier: BSD-2-Clause */
/* See coverage.h. */
#include "tools/orcgen/coverage.h"

#include <string.h>

#define FILL_ZERO  0x00 /* fill byte of the linker script */
#define FILL_BREAK 0xcc
#define NOP        0x90

#define PREFIX_SIZE 0x66
#define PREFIX_CS   0x2e

struct coverage {
    const struct text *text;
    const uint8_t *covered;
    const char *gaps;
    size_t named;  /* uncovered pieces that were reported */
    uint32_t bare; /* uncovered bytes in pieces that are not padding */
};

/* Reports code that is not covered. Returns true if the caller may continue. */
static bool name_bare(struct coverage *coverage, uint32_t offset)
{
    const char *place = text_describe(coverage->text, offset).words;

    if (!coverage->gaps)
        return image_complain(coverage->text->image,
                              "%s: code that no call frame information covers: compile it with "
                              "-fasynchronous-unwind-tables, write it with "
                              "arch/x86_64/unwind/cfi.inc",
                              place);
    image_complain(coverage->text->image, "%s: no call frame information for the table: %s", place,
                   coverage->gaps);
    coverage->named++;
    return true;
}

/* Sized functions must be covered: padding is never in one. */
static bool check_functions(struct coverage *coverage)
{
    for (size_t i = 0; i < coverage->text->symbol_count; i++) {
        const struct text_symbol *symbol = &coverage->text->symbols[i];
        const uint8_t *bare =
            symbol->function ? memchr(coverage->covered + symbol->offset, 0, symbol->size) : NULL;
        if (bare && !name_bare(coverage, (uint32_t)(bare - coverage->covered)))
            return false;
    }
    return true;
}

/*
 * Returns the length of a ModRM byte with its SIB byte and displacement (Intel SDM vol. 2, "ModR/M
 * and SIB Bytes").
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

/* Returns the length of the padding here, or 0. */
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

/* True if the byte is in a sized function, which check_functions has then reported. */
static bool has_function(const struct text *text, uint32_t offset)
{
    for (size_t i = 0; i < text->symbol_count && text->symbols[i].offset <= offset; i++)
        if (text->symbols[i].function && offset - text->symbols[i].offset < text->symbols[i].size)
            return true;
    return false;
}

/* Reports the first byte of the gap that is not padding, and treats the rest of the gap like it. */
static bool check_gap(struct coverage *coverage, uint32_t start, uint32_t end)
{
    const struct text *text = coverage->text;

    while (start < end) {
        uint32_t length = padding_length(text->bytes + start, end - start);
        if (length == 0) {
            coverage->bare += end - start;
            return has_function(text, start) || name_bare(coverage, start);
        }
        start += length;
    }
    return true;
}

bool coverage_check(const struct text *text, const uint8_t *covered, const char *gaps)
{
    struct coverage coverage = {.text = text, .covered = covered, .gaps = gaps};
    uint32_t start = 0, end;

    if (gaps && !memchr(covered, 1, text->size)) {
        image_complain(text->image, "no call frame information at all: %s", gaps);
        return true;
    }
    if (!check_functions(&coverage))
        return false;
    for (; start < text->size; start = end) {
        uint8_t side = covered[start];
        for (end = start; end < text->size && covered[end] == side;)
            end++;
        if (!side && !check_gap(&coverage, start, end))
            return false;
    }
    if (coverage.named)
        image_complain(text->image, "of %u bytes %u are not covered, in %zu places", text->size,
                       coverage.bare, coverage.named);
    return true;
}
