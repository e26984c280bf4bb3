/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the summary of `perf record --verify-chain`; verify.c runs in hits, which may not print.
 * Task context.
 */
#include "core/unwind/unwind.h"

#include "core/lib/print.h"
#include "core/symbols/symbols.h"

static void print_difference(struct sink *sink, const struct verify_difference *difference)
{
    static const char *const names[] = {
        [UNWIND_BY_TABLE] = "by table", [UNWIND_BY_FRAME_POINTER] = "by frame pointers"};
    char place[96];

    print_to(sink, "[ verify-chain: the first difference at %s, frame %u",
             symbols_describe(difference->ip, place, sizeof(place)), difference->frame);
    for (unsigned method = 0; method < UNWIND_METHODS; method++) {
        const char *at = unwind_reason(difference->end[method]);

        if (difference->by[method] && difference->kind[method] == UNWIND_CALL)
            at = symbols_describe_return(difference->by[method], place, sizeof(place));
        else if (difference->by[method])
            at = symbols_describe(difference->by[method], place, sizeof(place));
        print_to(sink, "%s %s %s", method == 0 ? ":" : ",", names[method], at);
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
