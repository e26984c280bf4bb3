/* SPDX-License-Identifier: BSD-2-Clause */
/* See complete_target.h. */
#include "kernel/console/complete_target.h"

#include "core/lib/string.h"
#include "core/perf/option_table.h"
#include "kernel/user/process.h"

static const char *const signal_names[] = {"-CONT", "-INT", "-KILL", "-STOP", "-TERM", NULL};
static const char *const breakpoints[] = {"mem:", NULL}; /* the prefix that all breakpoints have */

static bool is_thread(const struct thread *thread)
{
    return thread != NULL;
}

static bool is_recordable(const struct thread *thread)
{
    return thread->pid != 0;
}

static bool is_program(const struct thread *thread)
{
    return thread->process != NULL;
}

static bool is_job(const struct thread *thread)
{
    return thread->process && thread->process->parent == PROCESS_PARENT_JOB;
}

static const char *option_at(const struct names *names, size_t index)
{
    return option_name(names->of, index);
}

static struct names names_options(const struct options *options)
{
    struct names names = {.at = option_at, .of = options};

    while (option_name(options, names.count))
        names.count++;
    return names;
}

static const char *part_at(const struct names *names, size_t index)
{
    (void)names;
    return perf_parts[index]->name;
}

static struct names names_parts(void)
{
    struct names names = {.at = part_at};

    while (perf_parts[names.count])
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

/* The words that determine the candidates; the length of a missing word is 0. */
struct context {
    struct word command, subcommand, previous, current;
};

/* Begins the next word, and shifts the earlier ones. */
static void context_next(struct context *context, struct word word)
{
    if (word_is(context->current, "--"))
        *context = (struct context){.current = context->current}; /* the workload is a command */
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

/* Returns false if there is a quote or backslash: words with quotes are not parsed here. */
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

/* --- Candidates --- */

static bool target_set(struct target *target, struct names names, struct word prefix)
{
    *target = (struct target){names, prefix, true};
    return true;
}

/* Does the same for a name that need not be followed by a blank. */
static bool target_set_open(struct target *target, struct names names, struct word prefix)
{
    *target = (struct target){names, prefix, false};
    return true;
}

static bool target_command(struct word word, struct target *target)
{
    return target_set(target, word_begins(word, "/") ? names_paths() : names_commands(), word);
}

/* Returns the last item of a list separated by commas. */
static struct word last_of_list(struct word word)
{
    for (size_t i = word.length; i > 0; i--)
        if (word.text[i - 1] == ',')
            return (struct word){word.text + i, word.length - i};
    return word;
}

/* Splits a word at the first `at`. Returns false if there is none. */
static bool word_cut(struct word word, char at, struct word *before, struct word *after)
{
    size_t length = 0;

    while (length < word.length && word.text[length] != at)
        length++;
    if (length == word.length)
        return false;
    *before = (struct word){word.text, length};
    *after = (struct word){word.text + length + 1, word.length - length - 1};
    return true;
}

/* Completes PLACE:ACCESS; the candidates for PLACE are `symbols`. */
static bool target_place(struct names symbols, struct word word, struct target *target)
{
    static const char *const accesses[] = {"rw", "w", "x", NULL};
    struct word place, access;

    if (word_cut(word, ':', &place, &access))
        return target_set_open(target, names_fixed(accesses), access);
    return target_set_open(target, symbols, word);
}

/* Completes mem:/bin/x and mem:/bin/x:symbol; `word` is the part after mem:. */
static bool target_program_place(struct word word, struct target *target)
{
    char path[FS_PATH_MAX + 1];
    struct word file, place;

    if (!word_cut(word, ':', &file, &place))
        return target_set_open(target, names_paths(), word);
    if (file.length > FS_PATH_MAX)
        return false;
    memcpy(path, file.text, file.length);
    path[file.length] = '\0';
    return target_place(names_program_symbols(path), place, target);
}

/* Completes an event of `kinds`, or the place that a breakpoint watches. */
static bool target_event(struct names kinds, struct word word, struct target *target)
{
    const size_t skipped = strlen("mem:");

    word = last_of_list(word);
    if (!word_begins(word, "mem:"))
        return target_set_open(target, kinds, word);
    word = (struct word){word.text + skipped, word.length - skipped};
    if (word_begins(word, "/"))
        return target_program_place(word, target);
    return target_place(names_symbols(), word, target);
}

static bool target_value(const struct option *option, struct word word, struct target *target)
{
    switch (option->kind) {
    case OPTION_EVENTS:
        return target_event(names_events(), word, target);
    case OPTION_BREAKPOINTS:
        return target_event(names_fixed(breakpoints), word, target);
    case OPTION_CALLS:
        return target_set_open(target, names_system_calls(), last_of_list(word));
    case OPTION_PID:
        return target_set(target, names_pids(is_recordable), word);
    case OPTION_CHOICE:
        return target_set(target, names_fixed(option->choices), word);
    case OPTION_CHOICES:
        return target_set_open(target, names_fixed(option->choices), last_of_list(word));
    case OPTION_ALWAYS:
    case OPTION_FLAG:
    case OPTION_NUMBER:
    case OPTION_TEXT:
        break;
    }
    return false;
}

/* Completes after `perf PART`: an option, the value of the previous option, or the workload. */
static bool target_part(const struct context *context, struct target *target)
{
    struct word subcommand = context->subcommand, previous = context->previous;
    const struct options *part = perf_part_find(subcommand.text, subcommand.length);
    const struct option *option = part ? option_find(part, previous.text, previous.length) : NULL;
    struct word name, value;

    if (!part)
        return false;
    if (word_begins(context->current, "--") && word_cut(context->current, '=', &name, &value)) {
        option = option_find(part, name.text, name.length);
        return option && option->value && target_value(option, value, target);
    }
    if (option && option->value)
        return target_value(option, context->current, target);
    if (context->current.length == 0 || context->current.text[0] == '-')
        return target_set(target, names_options(part), context->current);
    return part->workload && target_command(context->current, target);
}

/* Completes the word after a command's name. */
static bool target_second(const struct context *context, struct target *target)
{
    struct word word = context->current;

    if (word_is(context->command, "help"))
        return target_set(target, names_commands(), word);
    if (word_is(context->command, "perf"))
        return target_set(target, names_parts(), word);
    if (word_is(context->command, "crash"))
        return target_set(target, names_crashes(), word);
    if (word_is(context->command, "run"))
        return target_set(target, word_begins(word, "/") ? names_paths() : names_programs(), word);
    if (word_is(context->command, "kill") && word_begins(word, "-"))
        return target_set(target, names_fixed(signal_names), word);
    if (word_is(context->command, "bt"))
        return target_set(target, names_pids(is_thread), word);
    if (word_is(context->command, "kill"))
        return target_set(target, names_pids(is_program), word);
    if (word_is(context->command, "wait"))
        return target_set(target, names_pids(is_job), word);
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
    if ((word_is(context.command, "help") && word_is(context.previous, "perf")) ||
        (word_is(context.command, "perf") && word_is(context.previous, "help")))
        return target_set(target, names_parts(), context.current);
    if (word_is(context.command, "kill") && word_begins(context.previous, "-"))
        return target_set(target, names_pids(is_program), context.current);
    return word_is(context.command, "perf") && target_part(&context, target);
}
