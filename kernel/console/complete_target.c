/* SPDX-License-Identifier: BSD-2-Clause */
/* See complete_target.h. */
#include "kernel/console/complete_target.h"

#include "core/lib/string.h"
#include "kernel/fs/ramfs.h"

/* What stands after an option. */
enum value {
    VALUE_NONE, /* it is a flag */
    VALUE_ANY,  /* a number or a text, of which TAB knows nothing */
    VALUE_EVENT,
    VALUE_BREAKPOINT,
    VALUE_CALL,
    VALUE_PID,
    VALUE_CHAIN,
    VALUE_GRAPH,
    VALUE_SORT,
    VALUE_FIELD,
    VALUE_RATE,
    VALUE_KEY
};

struct option {
    const char *name;
    enum value value;
};

/*
 * In order of names, as core/{option/record,report/options,script/options}.c and
 * core/command/trace.c read them.
 */
static const struct option record_options[] = {{"--", VALUE_NONE},
                                               {"--all-cpus", VALUE_NONE},
                                               {"--by", VALUE_KEY},
                                               {"--call-graph", VALUE_CHAIN},
                                               {"--count", VALUE_ANY},
                                               {"--cpu", VALUE_ANY},
                                               {"--event", VALUE_EVENT},
                                               {"--filter", VALUE_ANY},
                                               {"--freq", VALUE_RATE},
                                               {"--from", VALUE_EVENT},
                                               {"--hist", VALUE_ANY},
                                               {"--intr-regs", VALUE_NONE},
                                               {"--key", VALUE_ANY},
                                               {"--mmap-pages", VALUE_ANY},
                                               {"--no-raw-samples", VALUE_NONE},
                                               {"--overwrite", VALUE_NONE},
                                               {"--pid", VALUE_PID},
                                               {"--raw-samples", VALUE_NONE},
                                               {"--skip", VALUE_ANY},
                                               {"--start", VALUE_BREAKPOINT},
                                               {"--to", VALUE_EVENT},
                                               {"--trigger", VALUE_EVENT},
                                               {"--verify-chain", VALUE_NONE},
                                               {"-C", VALUE_ANY},
                                               {"-F", VALUE_RATE},
                                               {"-R", VALUE_NONE},
                                               {"-a", VALUE_NONE},
                                               {"-c", VALUE_ANY},
                                               {"-e", VALUE_EVENT},
                                               {"-f", VALUE_NONE},
                                               {"-g", VALUE_NONE},
                                               {"-m", VALUE_ANY},
                                               {"-p", VALUE_PID},
                                               {NULL, VALUE_NONE}};
static const struct option stat_options[] = {{"--", VALUE_NONE},
                                             {"--all-cpus", VALUE_NONE},
                                             {"--by", VALUE_KEY},
                                             {"--cpu", VALUE_ANY},
                                             {"--event", VALUE_EVENT},
                                             {"--filter", VALUE_ANY},
                                             {"--from", VALUE_EVENT},
                                             {"--hist", VALUE_ANY},
                                             {"--interval-print", VALUE_ANY},
                                             {"--key", VALUE_ANY},
                                             {"--pid", VALUE_PID},
                                             {"--repeat", VALUE_ANY},
                                             {"--start", VALUE_BREAKPOINT},
                                             {"--to", VALUE_EVENT},
                                             {"-C", VALUE_ANY},
                                             {"-I", VALUE_ANY},
                                             {"-a", VALUE_NONE},
                                             {"-e", VALUE_EVENT},
                                             {"-p", VALUE_PID},
                                             {"-r", VALUE_ANY},
                                             {NULL, VALUE_NONE}};
static const struct option trace_options[] = {
    {"--", VALUE_NONE}, {"--overwrite", VALUE_NONE}, {"-S", VALUE_NONE}, {"-e", VALUE_CALL},
    {"-m", VALUE_ANY},  {"-p", VALUE_PID},           {"-s", VALUE_NONE}, {NULL, VALUE_NONE}};
static const struct option report_options[] = {{"--dump-raw-trace", VALUE_NONE},
                                               {"--max-stack", VALUE_ANY},
                                               {"--no-children", VALUE_NONE},
                                               {"--no-inline", VALUE_NONE},
                                               {"--sort", VALUE_SORT},
                                               {"--stdio", VALUE_NONE},
                                               {"-D", VALUE_NONE},
                                               {"-g", VALUE_GRAPH},
                                               {"-n", VALUE_NONE},
                                               {"-s", VALUE_SORT},
                                               {NULL, VALUE_NONE}};
static const struct option script_options[] = {{"--max-events", VALUE_ANY},
                                               {"--max-stack", VALUE_ANY},
                                               {"-F", VALUE_FIELD},
                                               {NULL, VALUE_NONE}};

static const struct part {
    const char *name;
    const struct option *options;
    bool workload; /* a command may follow the options */
} perf_parts[] = {
    {"record", record_options, true},  {"report", report_options, false},
    {"script", script_options, false}, {"stat", stat_options, true},
    {"trace", trace_options, true},
};

static const char *const signal_names[] = {"-CONT", "-INT", "-KILL", "-STOP", "-TERM", NULL};
static const char *const perf_names[] = {"list", "record", "report", "script",
                                         "stat", "trace",  NULL};
static const char *const chain_names[] = {"fp", "no", "orc", NULL};
static const char *const graph_names[] = {"callee", "caller", "fractal", "graph", "none", NULL};
static const char *const sort_names[] = {"comm", "cpu", "dso", "pid", "sym", NULL};
static const char *const field_names[] = {"+iregs", "iregs", NULL};
static const char *const key_names[] = {"caller", "comm", "cpu", NULL};
static const char *const rate_names[] = {"max", NULL};

static const char *option_at(const struct names *names, size_t index)
{
    return ((const struct option *)names->of)[index].name;
}

static struct names names_options(const struct option *options)
{
    struct names names = {.at = option_at, .of = options};

    while (options[names.count].name)
        names.count++;
    return names;
}

/* --- Where the cursor is --- */

static bool word_is(struct word word, const char *text)
{
    return strlen(text) == word.length && strncmp(word.text, text, word.length) == 0;
}

static bool word_begins(struct word word, const char *text)
{
    return word.length >= strlen(text) && strncmp(word.text, text, strlen(text)) == 0;
}

/* The words before the cursor that decide; a length of 0 where there is none. */
struct context {
    struct word command, subcommand, previous, current;
};

/* Moves the words on by one: what was typed last is no longer current. */
static void context_next(struct context *context, struct word word)
{
    if (word_is(context->current, "--"))
        *context = (struct context){.current = context->current}; /* a workload is a command */
    else if (context->command.length == 0)
        context->command = context->current;
    else if (context->subcommand.length == 0)
        context->subcommand = context->current;
    context->previous = context->current;
    context->current = word;
}

static bool is_quoting(char character)
{
    return character == '\'' || character == '"' || character == '\\';
}

/* False where a quote or backslash stands: what the words are is then not plain to see. */
static bool context_find(const char *text, size_t length, struct context *context)
{
    *context = (struct context){.current = {text, 0}};
    for (size_t i = 0; i < length; i++) {
        struct word behind = {text + i + 1, 0};

        if (is_quoting(text[i]))
            return false;
        if (text[i] == ';')
            *context = (struct context){.current = behind};
        else if (text[i] != ' ')
            context->current.length++;
        else if (context->current.length > 0)
            context_next(context, behind);
        else
            context->current = behind;
    }
    return true;
}

/* --- What may stand there --- */

static bool target_set(struct target *target, struct names names, struct word prefix)
{
    *target = (struct target){names, prefix, true};
    return true;
}

/* The same for a name that something else follows without a blank. */
static bool target_set_open(struct target *target, struct names names, struct word prefix)
{
    *target = (struct target){names, prefix, false};
    return true;
}

static bool target_command(struct word word, struct target *target)
{
    return target_set(target, word_begins(word, "/") ? names_paths() : names_commands(), word);
}

/* The last of several things between commas. */
static struct word last_of_list(struct word word)
{
    for (size_t i = word.length; i > 0; i--)
        if (word.text[i - 1] == ',')
            return (struct word){word.text + i, word.length - i};
    return word;
}

/* mem:/bin/x, and mem:/bin/x:symbol. */
static bool target_program_place(struct word word, struct target *target)
{
    char path[FS_PATH_MAX + 1];
    size_t length = 0;

    while (length < word.length && word.text[length] != ':')
        length++;
    if (length == word.length)
        return target_set_open(target, names_paths(), word);
    if (length > FS_PATH_MAX)
        return false;
    memcpy(path, word.text, length);
    path[length] = '\0';
    word = (struct word){word.text + length + 1, word.length - length - 1};
    return target_set_open(target, names_program_symbols(path), word);
}

/* An event of `kinds`, or what a breakpoint watches. */
static bool target_event(struct names kinds, struct word word, struct target *target)
{
    const size_t skipped = strlen("mem:");

    word = last_of_list(word);
    if (!word_begins(word, "mem:"))
        return target_set_open(target, kinds, word);
    word = (struct word){word.text + skipped, word.length - skipped};
    if (word_begins(word, "/"))
        return target_program_place(word, target);
    return target_set_open(target, names_symbols(), word);
}

static bool target_value(enum value value, struct word word, struct target *target)
{
    switch (value) {
    case VALUE_EVENT:
        return target_event(names_events(), word, target);
    case VALUE_BREAKPOINT:
        return target_event(names_breakpoints(), word, target);
    case VALUE_CALL:
        return target_set_open(target, names_system_calls(), last_of_list(word));
    case VALUE_PID:
        return target_set(target, names_recordable(), word);
    case VALUE_KEY:
        return target_set(target, names_fixed(key_names), word);
    case VALUE_CHAIN:
        return target_set(target, names_fixed(chain_names), word);
    case VALUE_GRAPH:
        return target_set_open(target, names_fixed(graph_names), last_of_list(word));
    case VALUE_SORT:
        return target_set_open(target, names_fixed(sort_names), last_of_list(word));
    case VALUE_FIELD:
        return target_set(target, names_fixed(field_names), word);
    case VALUE_RATE:
        return target_set(target, names_fixed(rate_names), word);
    case VALUE_NONE:
    case VALUE_ANY:
        break;
    }
    return false;
}

static enum value value_after(const struct part *part, struct word option)
{
    for (const struct option *at = part->options; at->name; at++)
        if (word_is(option, at->name))
            return at->value;
    return VALUE_NONE;
}

/* Completes after `perf PART`: an option, the value of the one before, or the workload. */
static bool target_part(const struct context *context, struct target *target)
{
    const struct part *part = NULL;
    enum value value;

    for (size_t i = 0; i < sizeof(perf_parts) / sizeof(perf_parts[0]); i++)
        if (word_is(context->subcommand, perf_parts[i].name))
            part = &perf_parts[i];
    if (!part)
        return false;
    value = value_after(part, context->previous);
    if (value != VALUE_NONE)
        return target_value(value, context->current, target);
    if (context->current.length == 0 || context->current.text[0] == '-')
        return target_set(target, names_options(part->options), context->current);
    return part->workload && target_command(context->current, target);
}

/* Completes the word after a command's name. */
static bool target_second(const struct context *context, struct target *target)
{
    struct word word = context->current;

    if (word_is(context->command, "help"))
        return target_set(target, names_commands(), word);
    if (word_is(context->command, "perf"))
        return target_set(target, names_fixed(perf_names), word);
    if (word_is(context->command, "crash"))
        return target_set(target, names_crashes(), word);
    if (word_is(context->command, "run"))
        return target_set(target, word_begins(word, "/") ? names_paths() : names_programs(), word);
    if (word_is(context->command, "kill") && word_begins(word, "-"))
        return target_set(target, names_fixed(signal_names), word);
    if (word_is(context->command, "bt"))
        return target_set(target, names_threads(), word);
    if (word_is(context->command, "kill"))
        return target_set(target, names_running_programs(), word);
    if (word_is(context->command, "wait"))
        return target_set(target, names_jobs(), word);
    return false;
}

bool target_find(const char *text, size_t length, struct target *target)
{
    struct context context;

    if (!context_find(text, length, &context))
        return false;
    if (context.command.length == 0)
        return target_command(context.current, target);
    if (context.subcommand.length == 0)
        return target_second(&context, target);
    if (word_is(context.command, "help") && word_is(context.previous, "perf"))
        return target_set(target, names_fixed(perf_names), context.current);
    if (word_is(context.command, "kill") && word_begins(context.previous, "-"))
        return target_set(target, names_running_programs(), context.current);
    return word_is(context.command, "perf") && target_part(&context, target);
}
