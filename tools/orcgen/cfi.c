/* SPDX-License-Identifier: BSD-2-Clause */
/* See cfi.h. libdw interprets .eh_frame. */
#include "tools/orcgen/cfi.h"

#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "tools/orcgen/cfi_rule.h"

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
