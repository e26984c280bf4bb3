/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A walk by sorted rows (sorted_rows.h) instead of this kernel's table, with the same rules and the
 * same checks as for frame pointers.
 */
#include "arch/memory.h"
#include "arch/regs.h"
#include "arch/unwind.h"
#include "core/unwind/table.h"
#include "tests/bench/tables/sorted_rows.h"
#include "tests/bench/unwind/methods.h"

extern const char unwind_table_start[], unwind_table_end[];

static struct sorted_rows rows;

bool bench_sorted_rows_init(void)
{
    const struct unwind_table_expected expected = {
        .build_id = arch_build_id(), .text = arch_text_start(), .text_end = arch_text_end()};
    struct unwind_table table;

    if (unwind_table_open(&table, unwind_table_start,
                          (uintptr_t)unwind_table_end - (uintptr_t)unwind_table_start, &expected,
                          NULL) ||
        !sorted_rows_init(&rows, table.text_size, table.text_size))
        return false;
    for (uint32_t offset = 0; offset < table.text_size; offset++) {
        struct unwind_rule rule =
            unwind_table_rule(&table, offset, unwind_table_code(&table, offset));

        sorted_rows_add(&rows, offset, &rule);
    }
    sorted_rows_finish(&rows);
    return true;
}

/* In the stack, and not below what was read before. */
static bool readable(const struct arch_stack *stack, uintptr_t low, uintptr_t at)
{
    return at >= low && at <= stack->high - sizeof(uint64_t) && at % 8 == 0;
}

static size_t by_sorted_rows(const struct regs *regs, uint64_t *addresses, size_t most)
{
    const struct arch_stack *stack = arch_stack_find(regs->sp);
    const uintptr_t text = arch_text_start(), text_size = arch_text_end() - text;
    uintptr_t offset = regs->ip - text, sp = regs->sp, fp = regs->bp;
    size_t count = 0;

    addresses[count++] = regs->ip;
    while (offset < text_size && count < most) {
        const struct sorted_rule *rule = sorted_rows_find(&rows, (uint32_t)offset);
        uintptr_t cfa, return_address;

        if (rule->base == UNWIND_BASE_STACK_POINTER)
            cfa = sp + (uintptr_t)(intptr_t)rule->cfa_offset;
        else if (rule->base == UNWIND_BASE_FRAME_POINTER)
            cfa = fp + (uintptr_t)(intptr_t)rule->cfa_offset;
        else
            break;
        if (!readable(stack, sp, cfa - 8))
            break;
        return_address = *(const uint64_t *)(cfa - 8);
        if (rule->saved == UNWIND_SAVED_AT_CFA) {
            uintptr_t slot = cfa + (uintptr_t)(intptr_t)rule->saved_offset;

            if (!readable(stack, sp, slot))
                break;
            fp = *(const uint64_t *)slot;
        }
        addresses[count++] = return_address;
        offset = return_address - 1 - text;
        sp = cfa;
    }
    return count;
}

const struct method method_sorted_rows = {
    .name = "10-byte rows, binary search", .run = chain_plain, .capture = by_sorted_rows};
