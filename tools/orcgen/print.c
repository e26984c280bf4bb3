/* SPDX-License-Identifier: BSD-2-Clause */
/* See print.h. */
#include "tools/orcgen/print.h"

#include <inttypes.h>
#include <stdio.h>

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

void print_rows(const struct text *text, const struct table_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        printf("%s: ", text_describe(text, rows[i].offset).words);
        print_rule(&rows[i].rule);
        putchar('\n');
    }
}

void print_sizes(const struct table *table)
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
