/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a site of a tracepoint leads to while a probe listens, for tests of code that has sites and
 * no probe: nothing may come here.
 */
#include <stdlib.h>

#include "core/tracepoint/define.h"

void tracepoint_hit(struct arch_gated *gated, struct arch_place *place, const struct regs *all)
{
    (void)gated, (void)place, (void)all;
    abort();
}

void tracepoint_hit_at(struct arch_gated *gated, struct arch_place *place, const struct regs *all)
{
    (void)gated, (void)place, (void)all;
    abort();
}
