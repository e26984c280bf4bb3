/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `perf record --verify-chain` says at its end (core/perf/verify_chain.h). Apart from the
 * comparing, which may not print. Task context.
 */
#include "core/perf/verify_chain.h"
#include "core/print.h"
#include "core/symbols.h"

static void print_place(struct sink *sink, uintptr_t address, bool is_call)
{
    struct symbol symbol;

    if (symbols_find_address(address - is_call, &symbol))
        print_to(sink, "%s+0x%lx", symbol.name, (unsigned long)(address - symbol.address));
    else
        print_to(sink, "0x%lx", (unsigned long)address);
}

static void print_difference(struct sink *sink, const struct verify_difference *difference)
{
    static const char *const names[] = {
        [UNWIND_BY_TABLE] = "by table", [UNWIND_BY_FRAME_POINTER] = "by frame pointers"};

    print_to(sink, "[ verify-chain: the first to differ at ");
    print_place(sink, difference->ip, false);
    print_to(sink, ", frame %u", difference->frame);
    for (unsigned method = 0; method < UNWIND_METHODS; method++) {
        print_to(sink, "%s %s ", method == 0 ? ":" : ",", names[method]);
        if (difference->by[method])
            print_place(sink, difference->by[method], difference->kind[method] == UNWIND_CALL);
        else
            print_to(sink, "%s", unwind_reason(difference->end[method]));
    }
    print_to(sink, " ]\n");
}

void verify_chain_print(struct sink *sink)
{
    struct verify_counts counts = verify_chain_counts();

    print_to(sink, "[ verify-chain: %llu chains by table and by frame pointers, %llu agree ]\n",
             (unsigned long long)counts.chains,
             (unsigned long long)(counts.chains - counts.differ));
    if (counts.differ > 0)
        print_difference(sink, &counts.first);
}
