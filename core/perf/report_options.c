/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of `perf report` and `perf script`; see option_table.h. */
#include "core/perf/option_table.h"

#include "core/console/habits.h"
#include "core/lib/number.h"
#include "core/lib/string.h"
#include "core/report/percent.h"
#include "core/sample/records.h"

#define THRESHOLD_DEFAULT (PERCENT_UNITS / 2)
#define THRESHOLD_MOST    (100 * PERCENT_UNITS)

/* For option rows (core/lib/option.h): the range of chain addresses to use. */
#define CHAIN_DEPTH .unit = "addresses of a chain", .least = 1, .most = CHAIN_WALK_MOST

/* --- perf report --- */

/* Parses a percentage such as "0", "0.5" or "10.25". */
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
    return refuse(why, EINVAL,
                  "call graph \"%s\": possible are graph or fractal, caller or callee, and the "
                  "percentage below which branches are left out (0 to 100, up to 4 decimals), "
                  "separated by commas: fractal,0.5,caller; or none",
                  value);
}

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

/* As in perf, the words may come in any order. */
static int set_graph(void *at, const char *typed, char *value, struct refusal *why)
{
    struct report_options *options = at;
    char word[16] = "";
    size_t length;

    (void)typed;
    options->callgraph = strcmp(value, "none") != 0;
    options->fractal = options->caller = false;
    options->threshold = THRESHOLD_DEFAULT;
    for (const char *list = value; options->callgraph; list += length + 1) {
        for (length = 0; list[length] != '\0' && list[length] != ','; length++)
            continue;
        if (length >= sizeof(word))
            return refuse_graph(value, why);
        memcpy(word, list, length);
        word[length] = '\0';
        if (!parse_graph_word(word, options))
            return refuse_graph(value, why);
        if (list[length] == '\0')
            break;
    }
    return 0;
}

static const struct {
    const char *word;
    enum report_key_kind kind;
} key_words[] = {
    {"comm", REPORT_BY_COMM},     {"cpu", REPORT_BY_CPU},  {"dso", REPORT_BY_OBJECT},
    {"pid", REPORT_BY_TID},       {"s", REPORT_BY_SYMBOL}, {"sym", REPORT_BY_SYMBOL},
    {"symbol", REPORT_BY_SYMBOL}, {"tid", REPORT_BY_TID},
};

static enum report_key_kind kind_of(const char *word)
{
    for (size_t i = 0; i < sizeof(key_words) / sizeof(key_words[0]); i++)
        if (strcmp(key_words[i].word, word) == 0)
            return key_words[i].kind;
    return REPORT_BY_FIELD;
}

static bool is_there(const struct report_keys *keys, enum report_key_kind kind, const char *word)
{
    for (unsigned i = 0; i < keys->count; i++)
        if (keys->key[i].kind == kind &&
            (kind != REPORT_BY_FIELD || strcmp(keys->key[i].word, word) == 0))
            return true;
    return false;
}

static int add_key(struct report_keys *keys, const char *word, struct refusal *why)
{
    enum report_key_kind kind = kind_of(word);

    if (word[0] == '\0')
        return refuse(why, EINVAL,
                      "a sort key is empty; there are comm, cpu, dso, pid, sym and the fields of "
                      "tracepoints, separated by commas");
    if (is_there(keys, kind, word))
        return 0;
    if (keys->count == REPORT_KEYS_MAX)
        return refuse(why, EINVAL, "sort key \"%s\": at most %d keys are allowed", word,
                      REPORT_KEYS_MAX);
    keys->key[keys->count++] = (struct report_key){.kind = kind, .word = word};
    return 0;
}

/*
 * Parses "comm,cpu,prev_pid". Other words name fields: "NAME", "EVENT.NAME" or "SYSTEM:EVENT.NAME".
 * Splits `value` at the commas; the keys point into it. A repeated key counts once.
 */
static int set_keys(void *at, const char *typed, char *value, struct refusal *why)
{
    struct report_keys *keys = at;
    int error = 0;

    (void)typed;
    keys->count = 0;
    for (char *next; value && !error; value = next) {
        next = strchr(value, ',');
        if (next)
            *next++ = '\0';
        error = add_key(keys, value, why);
    }
    return error;
}

#define REPORT(member) OPTION_AT(struct report_options, member)

static const char *const graphs[] = {"callee", "caller", "fractal", "graph", "none", NULL};
static const char *const keys[] = {"comm", "cpu", "dso", "pid", "sym", NULL};

static const struct option report_rows[] = {
    OPTION({"-g", "--call-graph"}, "graph|fractal|caller|callee|none", 0, OPTION_CHOICES,
           "call graphs; and per cent below which branches are left out, with commas", .bare = true,
           .choices = graphs, .set = set_graph),
    OPTION({"--sort", "-s"}, "KEY,...", 0, OPTION_CHOICES,
           "a line per value of these keys: sym, comm, cpu, dso, pid, a field", .choices = keys,
           .set = set_keys, REPORT(keys)),
    OPTION({"--max-stack"}, "N", 0, OPTION_NUMBER,
           "so many addresses of a chain count, from the end that comes first", CHAIN_DEPTH,
           REPORT(max_stack)),
    {.names = {"-n", "--show-nr-samples"}, .help = "always so here"},
    OPTION({"-D", "--dump-raw-trace"}, NULL, 0, OPTION_FLAG,
           "each record, byte for byte, in place of a report", REPORT(dump)),
    OPTION({"--last-boot"}, NULL, 0, OPTION_FLAG,
           "the last boot's recording, which a reset has left in memory", REPORT(last_boot)),
    {.names = {"--stdio"}, .help = "always so here"},
    {.names = {"--no-children"}, .help = "always so here"},
    {.names = {"--no-inline"}, .help = "always so here"},
    {.names = {NULL}},
};

const struct options report_options = {
    .name = "report",
    .usage = "[OPTION]...",
    .summary = "where the samples of the last recording were, and how it got there",
    .row = report_rows,
    .instead = habit_answer_option,
};

int report_options_parse(int argc, char **argv, struct report_options *options, struct refusal *why)
{
    *options = (struct report_options){.callgraph = true,
                                       .keys = REPORT_KEYS_SYMBOL,
                                       .max_stack = CHAIN_WALK_MOST,
                                       .threshold = THRESHOLD_DEFAULT};
    int taken = options_parse(&report_options, argc, argv, options, why);
    return taken < 0 ? taken : 0;
}

/* --- perf script --- */

static int set_fields(void *at, const char *typed, char *value, struct refusal *why)
{
    char answer[HABIT_ANSWER];

    if (strcmp(value + (value[0] == '+'), "iregs") != 0) {
        habit_answer_host("script", typed, answer, sizeof(answer));
        return refuse(why, EINVAL, "%s %s: here -F iregs and -F +iregs are allowed; %s %s", typed,
                      value, answer, value);
    }
    *(bool *)at = true;
    return 0;
}

#define SCRIPT(member) OPTION_AT(struct script_options, member)

static const char *const fields[] = {"+iregs", "iregs", NULL};

static const struct option script_rows[] = {
    OPTION({"-F", "--fields"}, "iregs", 0, OPTION_CHOICE, "the registers, too", .choices = fields,
           .set = set_fields, SCRIPT(registers)),
    OPTION({"--max-stack"}, "N", 0, OPTION_NUMBER,
           "so many addresses of each chain, from the hit on", CHAIN_DEPTH, SCRIPT(max_stack)),
    OPTION({"--max-events"}, "N", 0, OPTION_NUMBER, "the first N samples", .least = 1,
           SCRIPT(max_events)),
    OPTION({"--last-boot"}, NULL, 0, OPTION_FLAG,
           "the last boot's recording, which a reset has left in memory", SCRIPT(last_boot)),
    {.names = {NULL}},
};

const struct options script_options = {
    .name = "script",
    .usage = "[OPTION]...",
    .summary = "each sample of the last recording",
    .row = script_rows,
    .instead = habit_answer_option,
};

int script_options_parse(int argc, char **argv, struct script_options *options, struct refusal *why)
{
    *options = (struct script_options){.registers = false};
    int taken = options_parse(&script_options, argc, argv, options, why);
    return taken < 0 ? taken : 0;
}
