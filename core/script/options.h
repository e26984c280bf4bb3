/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of `perf script`:
 *
 *   -F iregs, -F +iregs   the registers, too
 *   --max-stack N         so many addresses of each chain, from the hit on: 1 to 127
 *   --max-events N        the first N samples. The real `perf script` has no such option; it is
 *                         spelt as `perf trace` does.
 *
 * Task context.
 */
#pragma once

#include "core/lib/refusal.h"
#include "core/script/script.h"

/* argv[0] is "script". 0, or -EINVAL with the reason. */
int script_options_parse(int argc, char **argv, struct script_options *options,
                         struct refusal *why);
