/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Before anything is measured: does the method find the chain? The functions themselves have read
 * the expected chain off the stack (chain.c), so no unwinder is checked against another.
 */
#include <stdio.h>

#include "tests/bench/unwind/measure.h"

/* Room for the frames between the bottom and a method that begins in itself. */
#define ADDRESSES_MOST (CHAIN_FRAMES + 16)

struct check {
    const struct method *method;
    unsigned depth;
    bool good;
};

static bool complain(const struct check *check, size_t at, uint64_t found, uint64_t expected)
{
    fprintf(stderr, "%s, %u deep: frame %zu is 0x%llx; the stack has 0x%llx there\n",
            check->method->name, check->depth, at, (unsigned long long)found,
            (unsigned long long)expected);
    return false;
}

static bool same(const struct check *check, const struct chain *chain, const uint64_t *addresses,
                 size_t count)
{
    size_t first = 0;

    while (first < count && addresses[first] != chain->returned[0])
        first++;
    if (first == count || first == 0)
        return complain(check, first, 0, chain->returned[0]);
    for (unsigned i = 0; i <= check->depth; i++)
        if (first + i >= count || addresses[first + i] != chain->returned[i])
            return complain(check, first + i, first + i < count ? addresses[first + i] : 0,
                            chain->returned[i]);
    if (count != first + check->depth + 1)
        return complain(check, count - 1, addresses[count - 1], 0);
    return true;
}

static void check_work(struct chain *chain, const struct regs *regs)
{
    struct check *check = chain->context;
    uint64_t addresses[ADDRESSES_MOST] = {0};
    size_t count = check->method->capture(regs, addresses, ADDRESSES_MOST);

    check->good = same(check, chain, addresses, count);
}

bool check_method(const struct method *method, unsigned depth)
{
    struct check check = {.method = method, .depth = depth};
    struct chain chain = {.work = check_work, .context = &check};

    method->run(&chain, depth);
    return check.good;
}
