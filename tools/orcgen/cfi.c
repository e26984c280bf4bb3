/* SPDX-License-Identifier: BSD-2-Clause */
/* See cfi.h. libdw interprets .eh_frame. */
#include "tools/orcgen/cfi.h"

#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

static void put_row(struct cfi *cfi, uint32_t offset, const struct unwind_rule *rule)
{
    if (cfi->count > 0 && memcmp(&cfi->rows[cfi->count - 1].rule, rule, sizeof(*rule)) == 0)
        return;
    cfi->rows[cfi->count++] = (struct table_row){.offset = offset, .rule = *rule};
}

/*
 * Reads the row at `offset`, and stores its end in *end. Returns false, with a complaint, on an
 * error.
 */
static bool read_row(struct cfi *cfi, const struct text *text, Dwarf_Frame *frame,
                     const struct unwind_rule *gaps, uint32_t offset, uint32_t *end)
{
    struct cfi_shape shape = {0};
    struct unwind_rule rule;
    Dwarf_Addr row_start, row_end;
    bool signal;

    if (dwarf_frame_info(frame, &row_start, &row_end, &signal) < 0)
        return image_complain(text->image, "%s: %s", text_describe(text, offset).words,
                              dwarf_errmsg(-1));
    bool expressed = cfi_rule(&rule, frame, signal, &shape);
    if (!expressed && !gaps)
        return image_complain(text->image, "%s: the unwind table cannot say \"%s\": %s",
                              text_describe(text, offset).words, shape.words, shape.wanted);
    *end = row_end - text->address < text->size ? (uint32_t)(row_end - text->address) : text->size;
    memset(cfi->covered + offset, expressed, *end - offset);
    put_row(cfi, offset, expressed ? &rule : gaps);
    return true;
}

/*
 * Returns libdw's error for an address without an entry, such as the highest address. The error has
 * no public name.
 */
static int errno_of_none(Dwarf_CFI *source)
{
    Dwarf_Frame *frame;

    if (dwarf_cfi_addrframe(source, UINT64_MAX, &frame) == 0)
        free(frame);
    return dwarf_errno();
}

/* Reads the rows of the whole text: advances row by row, and in gaps byte by byte. */
static bool read_rows(struct cfi *cfi, const struct text *text, Dwarf_CFI *source,
                      const struct unwind_rule *gaps)
{
    const int none_there = errno_of_none(source);
    uint32_t offset = 0, next;
    Dwarf_Frame *frame;

    for (; offset < text->size; offset = next) {
        next = offset + 1;
        if (dwarf_cfi_addrframe(source, text->address + offset, &frame) != 0) {
            int error = dwarf_errno();
            if (error == none_there) {
                if (gaps)
                    put_row(cfi, offset, gaps);
                continue;
            }
            return image_complain(text->image, "%s: %s", text_describe(text, offset).words,
                                  dwarf_errmsg(error));
        }
        if (offset == 0)
            cfi->count = 0;
        bool read = read_row(cfi, text, frame, gaps, offset, &next);
        free(frame);
        if (!read)
            return false;
    }
    return true;
}

bool cfi_read(struct cfi *cfi, const struct text *text, const struct unwind_rule *gaps)
{
    static const struct unwind_rule none = {.kind = UNWIND_RULE_NONE};
    Dwarf_CFI *source = dwarf_getcfi_elf(text->image->elf);

    *cfi = (struct cfi){
        .rows = calloc(text->size, sizeof(*cfi->rows)),
        .covered = calloc(text->size, 1),
    };
    if (!cfi->rows || !cfi->covered)
        return image_complain(text->image, "out of memory");
    put_row(cfi, 0, gaps ? gaps : &none);
    if (!source && gaps)
        return true;
    if (!source)
        return image_complain(text->image, "no .eh_frame: compile with "
                                           "-fasynchronous-unwind-tables");
    bool read = read_rows(cfi, text, source, gaps);
    dwarf_cfi_end(source);
    return read;
}

void cfi_free(struct cfi *cfi)
{
    free(cfi->rows);
    free(cfi->covered);
}

/* --- Code without call frame information. --- */

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
