/* SPDX-License-Identifier: BSD-2-Clause */
/* See patience.h. */
#include "arch/x86_64/smp/patience.h"

void patience_begin(struct patience *patience, uint64_t limit, uint64_t now)
{
    *patience = (struct patience){.limit = limit, .looked = now};
}

static uint64_t least(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

bool patience_is_over(struct patience *patience, uint64_t now)
{
    int64_t passed = (int64_t)(now - patience->looked);

    if (patience->waited < patience->limit) {
        patience->looked = now;
        if (passed < 0)
            patience->waited -= least((uint64_t)-passed, patience->waited);
        else
            patience->waited += least((uint64_t)passed, PATIENCE_LOOK_NS);
    }
    return patience->waited >= patience->limit;
}
