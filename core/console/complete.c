/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Completion (core/console/complete.h), called by the line editor. Every source of names is a
 * list in order, so that the candidates of a prefix are a range of it, found by binary search:
 * with thousands of symbols nothing is copied, and what a range has in common is what its first
 * and last have in common.
 */
#include "core/console/complete.h"

#include "core/console/command.h"
#include "core/perf/tracepoint.h"
#include "core/sched/thread.h"
#include "core/string.h"
#include "core/symbols.h"

#define SCREEN_COLUMNS 80

/* Names in the order of strcmp; NULL past the end. */
struct names {
    const char *(*at)(const struct names *names, size_t index);
    const char *const *fixed; /* what fixed_at reads, ended by NULL */
    size_t count;
};

struct word {
    const char *text;
    size_t length;
};

/* The word that is being typed, and what it may become. */
struct target {
    struct names names;
    struct word prefix; /* what of the name is there already */
    bool ends_word;     /* a blank follows a name that is found whole */
};

/* The candidates: [first, end) of target.names. */
struct range {
    size_t first, end;
};

/* --- The sources --- */

static const char *fixed_at(const struct names *names, size_t index)
{
    return names->fixed[index];
}

static const char *command_name_at(const struct names *names, size_t index)
{
    const struct command *command = command_after(NULL);

    (void)names;
    while (command && index-- > 0)
        command = command_after(command);
    return command ? command->name : NULL;
}

static const char *symbol_name_at(const struct names *names, size_t index)
{
    (void)names;
    struct symbol symbol;

    return symbols_by_name(index, &symbol) ? symbol.name : NULL;
}

static struct names names_fixed(const char *const *fixed)
{
    struct names names = {.at = fixed_at, .fixed = fixed};

    while (fixed[names.count])
        names.count++;
    return names;
}

static struct names names_commands(void)
{
    struct names names = {.at = command_name_at};
    const struct command *command = NULL;

    while ((command = command_after(command)) != NULL)
        names.count++;
    return names;
}

static struct names names_symbols(void)
{
    return (struct names){.at = symbol_name_at, .count = symbols_count()};
}

static char pids[THREADS_MAX][sizeof("4294967295")]; /* the console's alone, as all here */

static const char *pid_at(const struct names *names, size_t index)
{
    (void)names;
    return pids[index];
}

/* Sorted as words, like every source. */
static struct names names_pids(void)
{
    struct names names = {.at = pid_at};

    for (unsigned i = 0; i < THREADS_MAX; i++) {
        const struct thread *thread = thread_at(i);
        char pid[sizeof(pids[0])];
        size_t place = names.count;

        if (!thread)
            continue;
        print_into(pid, sizeof(pid), "%u", thread->pid);
        for (; place > 0 && strcmp(pids[place - 1], pid) > 0; place--)
            memcpy(pids[place], pids[place - 1], sizeof(pid));
        memcpy(pids[place], pid, sizeof(pid));
        names.count++;
    }
    return names;
}

static const char *const perf_subcommands[] = {"list", "record", "report", "script",
                                               "stat", "trace",  NULL};

/* In order: branches, the clock, and how breakpoints begin. */
static const char *const other_events[] = {"branches", "cpu-clock", "mem:"};
#define OTHER_EVENTS (sizeof(other_events) / sizeof(other_events[0]))

/* Tracepoints in order of their names, and the others at their places among them. */
static const char *event_name_at(const struct names *names, size_t index)
{
    const struct tracepoint *next = tracepoint_after(NULL);
    const char *name = NULL;
    size_t other = 0;

    (void)names;
    for (size_t i = 0; i <= index; i++) {
        if (other < OTHER_EVENTS && (!next || strcmp(other_events[other], next->full_name) < 0))
            name = other_events[other++];
        else if (next)
            name = next->full_name, next = tracepoint_after(next);
        else
            return NULL;
    }
    return name;
}

static struct names names_events(void)
{
    return (struct names){.at = event_name_at, .count = tracepoint_count() + OTHER_EVENTS};
}

/* As core/perf/perf_options.c, report_options.c and trace_command.c read them. */
static const char *const record_options[] = {"--",
                                             "--call-graph",
                                             "--count",
                                             "--event",
                                             "--filter",
                                             "--freq",
                                             "--intr-regs",
                                             "--mmap-pages",
                                             "--overwrite",
                                             "--pid",
                                             "--raw-samples",
                                             "--skip",
                                             "--start",
                                             "--trigger",
                                             "--verify-chain",
                                             "-F",
                                             "-R",
                                             "-a",
                                             "-c",
                                             "-e",
                                             "-g",
                                             "-m",
                                             "-p",
                                             NULL};
static const char *const stat_options[] = {"--", "--event", "--filter", "--pid", "--start",
                                           "-a", "-e",      "-p",       NULL};
static const char *const trace_options[] = {"--", "-S", "-e", "-m", "-p", "-s", NULL};
static const char *const report_options[] = {
    "--no-children", "--no-inline", "--stdio", "-g", "-s", NULL};
static const char *const script_options[] = {"-F", NULL};

static const struct {
    const char *subcommand;
    const char *const *options;
} perf_options[] = {
    {"record", record_options}, {"report", report_options}, {"script", script_options},
    {"stat", stat_options},     {"trace", trace_options},
};

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

/* Of several events between commas, the last. */
static bool target_event(struct word word, struct target *target)
{
    const size_t skipped = strlen("mem:");

    for (size_t i = word.length; i > 0; i--) {
        if (word.text[i - 1] == ',') {
            word = (struct word){word.text + i, word.length - i};
            break;
        }
    }
    if (!word_begins(word, "mem:")) {
        *target = (struct target){names_events(), word, false};
        return true;
    }
    word = (struct word){word.text + skipped, word.length - skipped};
    *target = (struct target){names_symbols(), word, false};
    return true;
}

static bool target_option(const struct context *context, struct target *target)
{
    for (size_t i = 0; i < sizeof(perf_options) / sizeof(perf_options[0]); i++) {
        if (!word_is(context->subcommand, perf_options[i].subcommand))
            continue;
        *target = (struct target){names_fixed(perf_options[i].options), context->current, true};
        return true;
    }
    return false;
}

/* False where nothing is known of what may stand there. */
static bool target_find(const char *text, size_t length, struct target *target)
{
    struct context context;

    if (!context_find(text, length, &context))
        return false;
    bool second = context.command.length > 0 && context.subcommand.length == 0;
    if (context.command.length == 0 || (second && word_is(context.command, "help"))) {
        *target = (struct target){names_commands(), context.current, true};
        return true;
    }
    if (second && (word_is(context.command, "bt") || word_is(context.command, "kill") ||
                   word_is(context.command, "wait"))) {
        *target = (struct target){names_pids(), context.current, true};
        return true;
    }
    if (!word_is(context.command, "perf"))
        return false;
    if (second) {
        *target = (struct target){names_fixed(perf_subcommands), context.current, true};
        return true;
    }
    if (word_is(context.previous, "-e") || word_is(context.previous, "--event") ||
        word_is(context.previous, "--start") || word_is(context.previous, "--trigger"))
        return target_event(context.current, target);
    if (context.current.length == 0 || context.current.text[0] == '-')
        return target_option(&context, target);
    return false;
}

/* --- The candidates --- */

static const char *name_at(const struct target *target, size_t index)
{
    return target->names.at(&target->names, index);
}

/*
 * The first name whose beginning is not before the prefix; with `past`, the first whose
 * beginning is behind it.
 */
static size_t bound(const struct target *target, bool past)
{
    size_t low = 0, high = target->names.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strncmp(name_at(target, middle), target->prefix.text, target->prefix.length);
        if (order < 0 || (past && order == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct range range_find(const struct target *target)
{
    return (struct range){bound(target, false), bound(target, true)};
}

/* How far two names are alike. */
static size_t common_length(const char *left, const char *right)
{
    size_t length = 0;

    while (left[length] != '\0' && left[length] == right[length])
        length++;
    return length;
}

static size_t complete_extend(const char *text, size_t length, char *addition, size_t size)
{
    struct target target;

    addition[0] = '\0';
    if (!target_find(text, length, &target))
        return 0;
    struct range range = range_find(&target);
    if (range.first == range.end)
        return 0;

    const char *first = name_at(&target, range.first);
    const char *last = name_at(&target, range.end - 1);
    size_t common = common_length(first, last);
    bool single = strcmp(first, last) == 0;
    print_into(addition, size, "%.*s%s", (int)(common - target.prefix.length),
               first + target.prefix.length, single && target.ends_word ? " " : "");
    return single ? 1 : range.end - range.first;
}

/* Local symbols may share a name: each is listed once. */
static bool is_repeated(const struct target *target, const struct range *range, size_t index)
{
    return index > range->first && strcmp(name_at(target, index), name_at(target, index - 1)) == 0;
}

/* In lines that fit the screen; `column` is where the last name ended. */
static void list_name(struct sink *sink, const char *name, size_t *column)
{
    size_t length = strlen(name);

    if (*column > 0 && *column + 2 + length > SCREEN_COLUMNS) {
        print_to(sink, "\n");
        *column = 0;
    }
    print_to(sink, "%s%s", *column > 0 ? "  " : "", name);
    *column += (*column > 0 ? 2 : 0) + length;
}

static void complete_list(const char *text, size_t length, struct sink *sink)
{
    struct target target;
    size_t found = 0, column = 0;

    if (!target_find(text, length, &target))
        return;
    struct range range = range_find(&target);
    for (size_t i = range.first; i < range.end; i++) {
        if (is_repeated(&target, &range, i))
            continue;
        if (found++ < COMPLETE_LIST_MOST)
            list_name(sink, name_at(&target, i), &column);
    }
    print_to(sink, "\n");
    if (found > COMPLETE_LIST_MOST)
        print_to(sink, "... and %zu more\n", found - COMPLETE_LIST_MOST);
}

const struct line_completer complete_words = {complete_extend, complete_list};
