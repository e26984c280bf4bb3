/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of `perf report` and `perf script` (docs/perf.md). Task context. */
#pragma once

#include "core/lib/option.h"
#include "core/report/report.h"
#include "core/sample/records.h"
#include "core/script/script.h"

/* For option rows (core/lib/option.h): the range of chain addresses to use. */
#define CHAIN_DEPTH .unit = "addresses of a chain", .least = 1, .most = CHAIN_WALK_MOST

extern const struct options report_options;

/* Splits the keys of --sort in place; report_keys_check then checks that the fields exist. */
int report_options_parse(int argc, char **argv, struct report_options *options,
                         struct refusal *why);

extern const struct options script_options;

int script_options_parse(int argc, char **argv, struct script_options *options,
                         struct refusal *why);
