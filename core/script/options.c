/* SPDX-License-Identifier: BSD-2-Clause */
/* See options.h. Called by core/command/perf.c; task context. */
#include "core/script/options.h"

#include "core/lib/number.h"
#include "core/lib/string.h"
#include "core/report/options.h"

static int parse_fields(const char *value, struct script_options *options, struct refusal *why)
{
    if (strcmp(value + (value[0] == '+'), "iregs") != 0)
        return refuse(why, EINVAL, "\"-F %s\" is not possible; -F iregs and -F +iregs are", value);
    options->registers = true;
    return 0;
}

static int parse_count(const char *value, size_t *count, struct refusal *why)
{
    uint64_t number;

    if (!number_word(value, UINT32_MAX, &number) || number == 0)
        return refuse(why, EINVAL, "--max-events %s: a number of samples from 1 on is needed",
                      value);
    *count = number;
    return 0;
}

static int parse_option(const char *option, const char *value, struct script_options *options,
                        struct refusal *why)
{
    bool fields = strcmp(option, "-F") == 0;
    bool depth = strcmp(option, "--max-stack") == 0;

    if (!fields && !depth && strcmp(option, "--max-events") != 0)
        return refuse(why, EINVAL,
                      "unknown option \"%s\"; there are -F iregs, --max-stack N, --max-events N",
                      option);
    if (!value)
        return refuse(why, EINVAL, "option %s needs a value", option);
    if (fields)
        return parse_fields(value, options, why);
    if (depth)
        return chain_depth_parse(value, &options->max_stack, why);
    return parse_count(value, &options->max_events, why);
}

int script_options_parse(int argc, char **argv, struct script_options *options, struct refusal *why)
{
    int error = 0;

    *options = (struct script_options){.registers = false};
    for (int i = 1; !error && i < argc; i += 2)
        error = parse_option(argv[i], i + 1 < argc ? argv[i + 1] : NULL, options, why);
    return error;
}
