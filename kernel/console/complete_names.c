/* SPDX-License-Identifier: BSD-2-Clause */
/* See complete_names.h. */
#include "kernel/console/complete_names.h"

#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/pitot.h"
#include "core/script/trace_calls.h"
#include "core/symbols/symbols.h"
#include "core/symbols/table.h"
#include "core/tracepoint/tracepoint.h"
#include "kernel/console/crash.h"
#include "kernel/hit/program.h"
#include "kernel/sched/thread.h"
#include "kernel/user/program_names.h"

static const char *fixed_at(const struct names *names, size_t index)
{
    return ((const char *const *)names->of)[index];
}

static const char *command_name_at(const struct names *names, size_t index)
{
    const struct pitot_command *command = pitot_next_command(NULL);

    (void)names;
    while (command && index-- > 0)
        command = pitot_next_command(command);
    return command ? command->name : NULL;
}

static const char *symbol_name_at(const struct names *names, size_t index)
{
    (void)names;
    struct symbol symbol;

    return symbols_by_name(index, &symbol) ? symbol.name : NULL;
}

struct names names_fixed(const char *const *fixed)
{
    struct names names = {.at = fixed_at, .of = fixed};

    while (fixed[names.count])
        names.count++;
    return names;
}

struct names names_commands(void)
{
    struct names names = {.at = command_name_at};
    const struct pitot_command *command = NULL;

    while ((command = pitot_next_command(command)) != NULL)
        names.count++;
    return names;
}

struct names names_symbols(void)
{
    return (struct names){.at = symbol_name_at, .count = symbols_count()};
}

/* Events other than tracepoints, sorted. */
static const char *const other_events[] = {"branches", "cpu-clock", "mem:"};
#define OTHER_EVENTS (sizeof(other_events) / sizeof(other_events[0]))

/* Merges the tracepoints, sorted by name, with the other events. */
static const char *event_name_at(const struct names *names, size_t index)
{
    const struct pitot_tracepoint *next = tracepoint_after(NULL);
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

struct names names_events(void)
{
    return (struct names){.at = event_name_at, .count = tracepoint_count() + OTHER_EVENTS};
}

/* Inserts a name into a sorted array; returns the new count. */
static size_t insert(const char **sorted, size_t count, const char *name)
{
    size_t place = count;

    for (; place > 0 && strcmp(sorted[place - 1], name) > 0; place--)
        sorted[place] = sorted[place - 1];
    sorted[place] = name;
    return count + 1;
}

struct names names_system_calls(void)
{
    static const char *sorted[TRACE_CALLS_MAX];
    const struct trace_call *call;
    struct names names = {.at = fixed_at, .of = sorted};

    for (unsigned i = 0; i < TRACE_CALLS_MAX && (call = trace_call_at(i)) != NULL; i++)
        names.count = insert(sorted, names.count, call->name);
    return names;
}

struct names names_pids(bool (*takes)(const struct thread *thread))
{
    static char pids[THREADS_MAX][sizeof("4294967295")];
    static const char *sorted[THREADS_MAX];
    const struct thread *thread;
    struct names names = {.at = fixed_at, .of = sorted};

    for (unsigned i = 0; i < THREADS_MAX; i++) {
        char *pid = pids[names.count];

        if (!(thread = thread_at(i)) || !takes(thread))
            continue;
        print_into(pid, sizeof(pids[0]), "%u", thread->pid);
        names.count = insert(sorted, names.count, pid);
    }
    return names;
}

struct names names_crashes(void)
{
    static const char *sorted[CRASHES_MAX];
    const char *how;
    struct names names = {.at = fixed_at, .of = sorted};

    for (unsigned i = 0; i < CRASHES_MAX && (how = crash_how(i)) != NULL; i++)
        names.count = insert(sorted, names.count, how);
    return names;
}

static const char *program_at_index(const struct names *names, size_t index)
{
    (void)names;
    return program_name(index);
}

struct names names_programs(void)
{
    return (struct names){.at = program_at_index, .count = program_names_read()};
}

static const char *path_at(const struct names *names, size_t index)
{
    (void)names;
    return program_path(index);
}

struct names names_paths(void)
{
    return (struct names){.at = path_at, .count = program_names_read()};
}

static const char *program_symbol_at(const struct names *names, size_t index)
{
    const struct program *program = names->of;
    struct symbol symbol;

    return symbol_table_by_name(symbol_table_of(&program->symbols), index, &symbol) ? symbol.name
                                                                                    : NULL;
}

struct names names_program_symbols(const char *path)
{
    struct refusal why;
    const struct program *program = program_load(path, &why);

    if (!program)
        return (struct names){.count = 0};
    return (struct names){.at = program_symbol_at,
                          .of = program,
                          .count = symbol_table_of(&program->symbols)->entry_count};
}
