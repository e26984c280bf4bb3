/* SPDX-License-Identifier: BSD-2-Clause */
/* What --verify-chain does in a hit; see unwind.h. */
#include "core/unwind/unwind.h"

#include "arch/cpu.h"
#include "arch/local.h"

static struct verify_counts counts[ARCH_CPUS_MAX]; /* [owning CPU] */

void verify_chain_reset(void)
{
    for (unsigned cpu = 0; cpu < ARCH_CPUS_MAX; cpu++)
        counts[cpu] = (struct verify_counts){.chains = 0};
}

struct verify_counts verify_chain_counts(void)
{
    struct verify_counts all = {.chains = 0};

    for (unsigned cpu = 0; cpu < ARCH_CPUS_MAX; cpu++) {
        if (all.differ == 0)
            all.first = counts[cpu].first;
        all.chains += counts[cpu].chains;
        all.differ += counts[cpu].differ;
    }
    return all;
}

static void note_difference(const struct regs *regs, unsigned frame, const struct unwind *state)
{
    struct verify_counts *own = &counts[arch_cpu_id()];
    uint64_t before = local_load(&own->differ);

    /* A nested call may have stored its difference; this overwrites it completely. */
    local_increment(&own->differ);
    if (before > 0)
        return;
    own->first = (struct verify_difference){.ip = regs->ip, .frame = frame};
    for (unsigned method = 0; method < UNWIND_METHODS; method++) {
        own->first.by[method] = unwind_done(&state[method]) ? 0 : state[method].ip;
        own->first.kind[method] = state[method].kind;
        own->first.end[method] = state[method].end;
    }
}

void verify_chain(const struct regs *regs)
{
    struct unwind state[UNWIND_METHODS];
    const struct unwind *table = &state[UNWIND_BY_TABLE];
    const struct unwind *pointers = &state[UNWIND_BY_FRAME_POINTER];
    unsigned frame = 0;

    for (unsigned method = 0; method < UNWIND_METHODS; method++)
        unwind_start_by(method, &state[method], regs);
    local_increment(&counts[arch_cpu_id()].chains);
    while (table->end == pointers->end && (unwind_done(table) || table->ip == pointers->ip)) {
        if (unwind_done(table))
            return;
        for (unsigned method = 0; method < UNWIND_METHODS; method++)
            unwind_next(&state[method]);
        frame++;
    }
    note_difference(regs, frame, state);
}
