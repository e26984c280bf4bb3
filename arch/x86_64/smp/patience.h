/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A limit on how long a CPU waits for others. The time between two polls counts as at most
 * PATIENCE_LOOK_NS, so a host that stops the whole machine does not end the wait. The waiting CPU
 * calls arch_relax between polls. In QEMU with one thread for all CPUs, where turns last up to
 * PATIENCE_LOOK_NS, that ends its turn; then each other CPU has a turn, which is enough to take an
 * NMI and stop. A stop of the host may cut one turn short, so two are needed, which a limit of
 * three times PATIENCE_LOOK_NS gives. Each CPU but the first that neither answers nor pauses
 * extends the wait by one turn. Any context.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PATIENCE_LOOK_NS 100000000ull

struct patience {
    uint64_t limit;  /* on the counted time, in ns */
    uint64_t waited; /* counted so far, in ns */
    uint64_t looked; /* at the last poll */
};

/* Starts a wait; `now` in ns. */
static inline void patience_begin(struct patience *patience, uint64_t limit, uint64_t now)
{
    *patience = (struct patience){.limit = limit, .looked = now};
}

static inline uint64_t patience_least(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

/*
 * Called after each poll; returns true once the wait is over. If the clock goes back, so does the
 * counted time.
 */
static inline bool patience_is_over(struct patience *patience, uint64_t now)
{
    int64_t passed = (int64_t)(now - patience->looked);

    if (patience->waited < patience->limit) {
        patience->looked = now;
        if (passed < 0)
            patience->waited -= patience_least((uint64_t)-passed, patience->waited);
        else
            patience->waited += patience_least((uint64_t)passed, PATIENCE_LOOK_NS);
    }
    return patience->waited >= patience->limit;
}
