/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The gate of an enabled tracepoint, for tests of code that has sites but no probe: never called.
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
