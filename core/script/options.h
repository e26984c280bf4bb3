/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of `perf script`. The real one has no --max-events; it is spelt as `perf trace` does.
 * Task context.
 */
#pragma once

#include "core/lib/option.h"
#include "core/script/script.h"

extern const struct options script_options;

/* argv[0] is "script". 0, or -EINVAL with the reason. */
int script_options_parse(int argc, char **argv, struct script_options *options,
                         struct refusal *why);
