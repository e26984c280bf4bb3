/* SPDX-License-Identifier: BSD-2-Clause */
/* See options.h. Called by core/command/perf.c; task context. */
#include "core/report/options.h"

#include "core/lib/number.h"
#include "core/lib/string.h"
#include "core/report/key.h"
#include "core/report/percent.h"
#include "core/sample/chain_walk.h"

#define THRESHOLD_DEFAULT (PERCENT_UNITS / 2)
#define THRESHOLD_MOST    (100 * PERCENT_UNITS)

/* "0", "0.5", "10.25": the whole word. */
static bool parse_percent(const char *word, uint32_t *percent_units)
{
    uint64_t whole;
    uint32_t value;

    if (number_read(&word, 10, THRESHOLD_MOST / PERCENT_UNITS, &whole) != NUMBER_READ)
        return false;
    value = (uint32_t)whole * PERCENT_UNITS;
    if (*word == '.') {
        uint32_t place = PERCENT_UNITS / 10;
        if (number_digit(*++word, 10) < 0)
            return false;
        for (; number_digit(*word, 10) >= 0 && place > 0; word++, place /= 10)
            value += (uint32_t)number_digit(*word, 10) * place;
    }
    *percent_units = value;
    return *word == '\0' && value <= THRESHOLD_MOST;
}

static int refuse_graph(const char *value, struct refusal *why)
{
    return refuse(
        why, EINVAL,
        "call graph \"%s\": graph or fractal, caller or callee, and the per cent below which "
        "branches are left out, 0 to 100 with up to 4 decimals, are possible, with commas "
        "between them: fractal,0.5,caller; or none",
        value);
}

/* One of the words between commas. */
static bool parse_graph_word(const char *word, struct report_options *options)
{
    bool fractal = strcmp(word, "fractal") == 0, caller = strcmp(word, "caller") == 0;

    if (fractal || strcmp(word, "graph") == 0)
        options->fractal = fractal;
    else if (caller || strcmp(word, "callee") == 0)
        options->caller = caller;
    else
        return parse_percent(word, &options->threshold);
    return true;
}

/* In any order, as in perf. */
static int parse_graph(const char *value, struct report_options *options, struct refusal *why)
{
    char word[16] = "";
    size_t length;

    options->callgraph = strcmp(value, "none") != 0;
    options->fractal = options->caller = false;
    options->threshold = THRESHOLD_DEFAULT;
    for (const char *at = value; options->callgraph; at += length + 1) {
        for (length = 0; at[length] != '\0' && at[length] != ','; length++)
            continue;
        if (length >= sizeof(word))
            return refuse_graph(value, why);
        memcpy(word, at, length);
        word[length] = '\0';
        if (!parse_graph_word(word, options))
            return refuse_graph(value, why);
        if (at[length] == '\0')
            break;
    }
    return 0;
}

static bool is_always_so(const char *option)
{
    static const char *const always[] = {"--stdio", "--no-children", "--no-inline", "-n",
                                         "--show-nr-samples"};

    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
        if (strcmp(option, always[i]) == 0)
            return true;
    return false;
}

int chain_depth_parse(const char *word, unsigned *depth, struct refusal *why)
{
    uint64_t value;

    if (!number_word(word, CHAIN_WALK_MOST, &value) || value == 0)
        return refuse(why, EINVAL, "--max-stack %s: 1 to %d addresses of a chain are possible",
                      word, CHAIN_WALK_MOST);
    *depth = (unsigned)value;
    return 0;
}

/* How many words the option takes that words[0] begins, or -EINVAL with the reason. */
static int parse_option(int count, char **words, struct report_options *options,
                        struct refusal *why)
{
    bool graph = strcmp(words[0], "-g") == 0;
    bool sort = strcmp(words[0], "-s") == 0 || strcmp(words[0], "--sort") == 0;
    bool depth = strcmp(words[0], "--max-stack") == 0;
    int error;

    if (is_always_so(words[0]))
        return 1;
    if (strcmp(words[0], "-D") == 0 || strcmp(words[0], "--dump-raw-trace") == 0) {
        options->dump = true;
        return 1;
    }
    if (!graph && !sort && !depth)
        return refuse(why, EINVAL,
                      "unknown option \"%s\"; there are -g graph|fractal|caller|callee|none, "
                      "--sort KEY,..., --max-stack N, -n, -D, --stdio, --no-children, --no-inline",
                      words[0]);
    if (graph && (count == 1 || words[1][0] == '-')) /* bare: as it is without */
        return 1;
    if (count == 1)
        return refuse(why, EINVAL, "option %s needs a value", words[0]);
    if (graph)
        error = parse_graph(words[1], options, why);
    else if (sort)
        error = report_keys_parse(words[1], &options->keys, why);
    else
        error = chain_depth_parse(words[1], &options->max_stack, why);
    return error < 0 ? error : 2;
}

int report_options_parse(int argc, char **argv, struct report_options *options, struct refusal *why)
{
    int taken;

    *options = (struct report_options){.callgraph = true,
                                       .keys = REPORT_KEYS_SYMBOL,
                                       .max_stack = CHAIN_WALK_MOST,
                                       .threshold = THRESHOLD_DEFAULT};
    for (int i = 1; i < argc; i += taken) {
        taken = parse_option(argc - i, argv + i, options, why);
        if (taken < 0)
            return taken;
    }
    return 0;
}
