/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * orcgen [--print | --sizes | --need] [--gaps HOW] [--exempt SECTION]... [--text START,END]
 *        KERNEL.ELF
 *
 * fills the section .unwind_table of a linked kernel with its unwind table (docs/unwinding.md), or
 * prints the table, or its size in bytes. Called by the build after the link; a second call
 * changes nothing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/image/image.h"
#include "tools/image/text.h"
#include "tools/orcgen/cfi.h"
#include "tools/orcgen/table.h"

#define RESERVED_SECTION ".unwind_table"

_Static_assert(IMAGE_BUILD_ID_SIZE == UNWIND_TABLE_BUILD_ID_SIZE,
               "the image's goes into the table");

enum what { WHAT_FILL, WHAT_PRINT = 'p', WHAT_SIZES = 's', WHAT_NEED = 'n' };

static const struct option options[] = {
    {"exempt", required_argument, NULL, 'e'}, /* its code needs no rules */
    {"text", required_argument, NULL, 't'},   {"gaps", required_argument, NULL, 'g'},
    {"print", no_argument, NULL, WHAT_PRINT}, {"sizes", no_argument, NULL, WHAT_SIZES},
    {"need", no_argument, NULL, WHAT_NEED},   {0},
};

/*
 * The values of --gaps, with their rules for code without call frame information; without --gaps,
 * such code is refused.
 */
static const struct gaps {
    const char *spelling;
    struct unwind_rule rule;
    const char *words;
} all_gaps[] = {
    {"end", {.kind = UNWIND_RULE_NONE}, "chains end there"},
    {"fp", UNWIND_GAP_RULE, "a frame pointer is believed there"},
};

static const struct gaps *find_gaps(const char *spelling)
{
    for (size_t i = 0; spelling && i < sizeof(all_gaps) / sizeof(all_gaps[0]); i++)
        if (strcmp(spelling, all_gaps[i].spelling) == 0)
            return &all_gaps[i];
    return NULL;
}

static const char *const base_names[UNWIND_BASE_COUNT] = {
    "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp",
    "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15",
};

static const char *const kind_names[UNWIND_RULE_KINDS] = {
    [UNWIND_RULE_NONE] = "no rule",        [UNWIND_RULE_CALL] = "call",
    [UNWIND_RULE_TRAP] = "trap",           [UNWIND_RULE_TRAP_REGS] = "trap with struct regs",
    [UNWIND_RULE_OUTERMOST] = "outermost",
};

static void print_rule(const struct unwind_rule *rule)
{
    const char *saved = rule->saved == UNWIND_SAVED_AT_CFA ? "CFA" : "rbp";

    fputs(kind_names[rule->kind], stdout);
    if (rule->kind == UNWIND_RULE_NONE)
        return;
    printf(rule->indirect ? ", CFA=[%s%+" PRId32 "]" : ", CFA=%s%+" PRId32, base_names[rule->base],
           rule->cfa_offset);
    if (rule->saved == UNWIND_SAVED_NOWHERE)
        fputs(", rbp=rbp", stdout);
    else
        printf(", rbp=[%s%+" PRId32 "]", saved, rule->saved_offset);
}

/* Prints a line per row: place, CFA, and the caller's rbp. */
static void print_rows(const struct text *text, const struct table_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        printf("%s: ", text_describe(text, rows[i].offset).words);
        print_rule(&rows[i].rule);
        putchar('\n');
    }
}

/* Prints one line of `name=figure`. */
static void print_sizes(const struct table *table)
{
    const struct unwind_table_header *header = table->bytes;

    printf("text=%" PRIu32 " size=%" PRIu32 " header=%zu blocks=%zu rows=%zu rules=%zu "
           "exceptions=%zu",
           header->text_size, header->size, sizeof(*header),
           (header->block_count + 1) * sizeof(uint32_t),
           header->row_count * sizeof(struct unwind_row),
           header->rule_count * sizeof(struct unwind_rule),
           header->exception_count * sizeof(struct unwind_exception));
    printf(" row_count=%" PRIu32 " rule_count=%" PRIu32 " exception_count=%" PRIu32
           " bytes_per_kib=%.1f\n",
           header->row_count, header->rule_count, header->exception_count,
           (double)header->size * 1024 / header->text_size);
}

static bool finish(const struct order *order, const struct image *image, const struct text *text,
                   const struct cfi *cfi)
{
    const struct table_text covered = {
        .address = text->address,
        .size = text->size,
        .build_id = image->build_id,
    };
    struct table table;
    bool done = true;

    if (cfi->count > UNWIND_ROWS_MAX)
        return image_complain(image, "%zu rows: the unwind table's blocks can number %u",
                              cfi->count, UNWIND_ROWS_MAX);
    table_build(&table, cfi->rows, cfi->count, &covered);
    if (order->what == WHAT_PRINT)
        print_rows(text, cfi->rows, cfi->count);
    else if (order->what == WHAT_SIZES)
        print_sizes(&table);
    else
        done = image_write(image, table.bytes, table.size);
    free(table.bytes);
    return done;
}

static bool run(const struct order *order, const struct image *image)
{
    const struct gaps *gaps = find_gaps(order->gaps);
    struct text text = {0};
    struct cfi cfi = {0};
    bool done = text_read(&text, image, order) &&
                cfi_read(&cfi, &text, gaps ? &gaps->rule : NULL) &&
                coverage_check(&text, cfi.covered, gaps ? gaps->words : NULL) &&
                finish(order, image, &text, &cfi);

    cfi_free(&cfi);
    text_free(&text);
    return done;
}

int main(int argc, char **argv)
{
    struct order order;
    struct image image;

    if (!order_read(&order, options, argc, argv) || (order.gaps && !find_gaps(order.gaps))) {
        fprintf(stderr,
                "usage: orcgen [--print | --sizes | --need] [--gaps end|fp] [--exempt SECTION]... "
                "[--text START,END] KERNEL.ELF\n");
        order_free(&order);
        return EXIT_FAILURE;
    }
    bool done = image_open(&image, "orcgen", RESERVED_SECTION, order.path, order_use(&order)) &&
                run(&order, &image) && image_flush_output(&image);
    image_close(&image);
    order_free(&order);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
