/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of `perf report`, spelt as in the real perf; docs/perf.md describes their effect
 * there and here. Task context.
 */
#pragma once

#include "core/lib/option.h"
#include "core/report/report.h"
#include "core/sample/chain_walk.h"
#include "core/script/script.h"

/* For option rows (core/lib/option.h): the range of chain addresses to use. */
#define CHAIN_DEPTH .unit = "addresses of a chain", .least = 1, .most = CHAIN_WALK_MOST

extern const struct options report_options;

/*
 * argv[0] is "report"; the keys of --sort are split in place. report_keys_check checks that the
 * fields exist. Returns 0, or -EINVAL and the reason.
 */
int report_options_parse(int argc, char **argv, struct report_options *options,
                         struct refusal *why);

extern const struct options script_options;

/* argv[0] is "script". Returns 0, or -EINVAL and the reason. */
int script_options_parse(int argc, char **argv, struct script_options *options,
                         struct refusal *why);
