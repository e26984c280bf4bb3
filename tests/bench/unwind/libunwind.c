/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libunwind (nongnu.org): step by step as gdb-like programs use it, with its default cache; and its
 * fast path, which caches the step for each address. Linked if its header is installed, otherwise
 * libunwind_missing.c is.
 */
#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include "tests/bench/unwind/methods.h"

static size_t by_step(const struct regs *regs, uint64_t *addresses, size_t most)
{
    unw_context_t context;
    unw_cursor_t cursor;
    size_t count = 0;

    (void)regs;
    if (unw_getcontext(&context) || unw_init_local(&cursor, &context))
        return 0;
    do {
        unw_word_t ip;

        if (unw_get_reg(&cursor, UNW_REG_IP, &ip))
            break;
        addresses[count++] = ip;
    } while (count < most && unw_step(&cursor) > 0);
    return count;
}

static size_t by_backtrace(const struct regs *regs, uint64_t *addresses, size_t most)
{
    int count = unw_backtrace((void **)addresses, (int)most);

    (void)regs;
    return count < 0 ? 0 : (size_t)count;
}

const struct method method_unw_step = {
    .name = "libunwind unw_step", .run = chain_plain, .capture = by_step};
const struct method method_unw_backtrace = {
    .name = "libunwind unw_backtrace", .run = chain_plain, .capture = by_backtrace};
