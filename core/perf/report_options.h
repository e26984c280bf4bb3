/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of `perf report`, as the real perf spells them; docs/perf.md says what each does
 * there and here. Task context.
 */
#pragma once

#include "core/lib/option.h"
#include "core/report/report.h"
#include "core/sample/chain_walk.h"
#include "core/script/script.h"

/* Says in a row (core/lib/option.h) how many addresses of a chain can count. */
#define CHAIN_DEPTH .unit = "addresses of a chain", .least = 1, .most = CHAIN_WALK_MOST

extern const struct options report_options;

/*
 * argv[0] is "report"; the keys of --sort are cut in place. Whether there are such fields is for
 * report_keys_check to say. 0, or -EINVAL with the reason.
 */
int report_options_parse(int argc, char **argv, struct report_options *options,
                         struct refusal *why);

extern const struct options script_options;

/* argv[0] is "script". 0, or -EINVAL with the reason. */
int script_options_parse(int argc, char **argv, struct script_options *options,
                         struct refusal *why);
