/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pitot COMMAND [OPTION]... -- QEMU ARGUMENT...: watches any x86-64 kernel in QEMU, without changes
 * to the kernel (docs/outside.md). Called by the user.
 *
 * All user input is checked before QEMU is started or a file is written.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lib/assert.h"
#include "core/lib/print.h"
#include "outside/pitot/command.h"
#include "outside/pitot/files.h"
#include "outside/pitot/options.h"
#include "outside/pitot/plain.h"
#include "outside/pitot/plugin.h"
#include "outside/pitot/qemu.h"

#define WRONG_USAGE 129 /* as in perf */
#define COMPLETION  "--completion"

static const struct {
    const struct options *options;
    int (*run)(const struct command *command, struct watch *watch, struct refusal *why);
    int (*read)(const struct pitot_options *options, struct refusal *why); /* without QEMU */
} commands[] = {
    {&options_record, command_record, NULL},
    {&options_stat, command_stat, NULL},
    {&options_blame, command_blame, blame_ask_file},
    {&options_graph, command_graph, NULL},
    {&options_last, command_last, NULL},
    {&options_trace, command_trace, trace_read_recording},
    {&options_cover, command_cover, NULL},
    {&options_heap, command_heap, NULL},
    {&options_locks, command_locks, NULL},
    {&options_race, command_race, race_ask_files},
    {&options_repeat, command_repeat, NULL},
    {&options_show, NULL, show_recording},
};

#define COMMANDS (sizeof(commands) / sizeof(*commands))

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    fprintf(stderr, "pitot: %s:%d: broken: %s\n", file, line, claim);
    abort();
}

/* --- Help --- */

static void write_out(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    fwrite(bytes, 1, length, stdout);
}

static struct sink out = {.write = write_out};

static int help(const struct options *options)
{
    if (options) {
        printf("usage: pitot %s %s\n\n%s\n\n", options->name, options->usage, options->summary);
        options_help(options, &out);
        return 0;
    }
    printf("usage: pitot COMMAND [OPTION]... -- QEMU ARGUMENT...\n\n"
           "Watches an unmodified x86-64 kernel in QEMU; your own QEMU command follows "
           "--.\n\n");
    for (size_t i = 0; i < COMMANDS; i++)
        printf("    %-8s %s\n", commands[i].options->name, commands[i].options->summary);
    printf("\n`pitot help COMMAND` has the options, `pitot --version` says which pitot this is.\n");
    return 0;
}

/* Returns the command's index, or COMMANDS if there is no such command. */
static size_t find_command(const char *name)
{
    size_t index = 0;

    while (index < COMMANDS && strcmp(commands[index].options->name, name) != 0)
        index++;
    return index;
}

static int refuse_command(const char *name)
{
    char *plain = plain_text(name);

    fprintf(stderr, "pitot: unknown command \"%s\"; there are", plain ? plain : "");
    free(plain);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(stderr, " %s,", commands[i].options->name);
    fprintf(stderr, " help\n");
    return WRONG_USAGE;
}

static int print_completion(const char *shell)
{
    const struct options *all[COMMANDS];

    for (size_t i = 0; i < COMMANDS; i++)
        all[i] = commands[i].options;
    if (completion_print(shell, all, COMMANDS) == 0)
        return 0;
    fprintf(stderr, "pitot: " COMPLETION " bash and " COMPLETION " zsh are allowed\n");
    return WRONG_USAGE;
}

/* The version, and the interfaces of QEMU that it has plugins for. */
static int print_version(void)
{
    struct refusal why;

    printf("pitot " VERSION_TEXT "\n");
    if (plugin_list(&why) == 0)
        return 0;
    fprintf(stderr, "pitot: %s\n", why.text);
    return 1;
}

/* --- A command --- */

/* What registers are needed for; NULL: nothing. */
static const char *reads_for(const struct options *of, const struct pitot_options *options)
{
    if (options->registers)
        return "--intr-regs";
    switch (of->command) {
    case PITOT_HEAP:
        return "the heap";
    case PITOT_LOCKS:
        return "the locks";
    case PITOT_TRACE:
        return pitot_options_have_locks(options) ? "the locks"
               : options->wake.count             ? "the wakes"
                                                 : NULL;
    case PITOT_RACE:
        return qemu_has_several(options->qemu) ? NULL : "the races of one CPU";
    default:
        return NULL;
    }
}

static int prepare(const struct options *of, const struct pitot_options *options,
                   struct kernel *kernel, struct events *events, struct watch *watch,
                   struct refusal *why)
{
    const char *file = options->symbols  ? options->symbols
                       : options->kernel ? options->kernel
                                         : qemu_kernel(options->qemu);
    int error = qemu_check_arguments(options->qemu, why);

    if (!error && (options->shake || of->command == PITOT_REPEAT ||
                   (of->command == PITOT_RACE && qemu_has_several(options->qemu))))
        error = qemu_check_threads(options->qemu, why);
    if (error)
        return error;
    if (!file)
        return refuse(why, EINVAL, "QEMU has no -kernel; give the kernel's file by --kernel ELF");
    error = kernel_open(kernel, file, options->symbols, why);
    if (!error)
        error = events_read(events, options, kernel, why);
    if (error)
        return error;
    if (kernel->stripped)
        plain_tell("pitot: %s is stripped: places have addresses and no names", file);
    *watch = (struct watch){.kernel = kernel,
                            .events = events,
                            .command = options->qemu,
                            .needs = {[WATCH_READS] = reads_for(of, options),
                                      [WATCH_WRITES] = options->guard ? "--guard" : NULL,
                                      [WATCH_SKIPS] = options->quarantine ? "--quarantine" : NULL}};
    watch->request.chains = events_have(events, EVENT_INTERRUPTS) ||
                            events_have(events, EVENT_CALLS) ||
                            events_have(events, EVENT_RETURNS) || options->chains;
    watch->request.registers = options->registers;
    watch->request.shake = options->shake;
    return watch_prepare(watch, why);
}

static int run(size_t index, int argc, char **argv, char *const *typed)
{
    static struct kernel kernel;
    static struct events events;
    static struct watch watch;
    struct pitot_options options;
    struct command command = {&options, argc + 1, typed};
    struct refusal why;
    char *plain;
    int error = pitot_options_read(commands[index].options, argc, argv, &options, &why);
    int status = error ? WRONG_USAGE : 1;

    if (!error && !options.qemu)
        error = commands[index].read(&options, &why);
    else if (!error)
        error = prepare(commands[index].options, &options, &kernel, &events, &watch, &why);
    if (!error && options.qemu)
        error = commands[index].run(&command, &watch, &why);
    if (!error)
        return watch.status;
    plain = plain_text(why.text);
    fprintf(stderr, "pitot %s: %s\n", commands[index].options->name, plain ? plain : "");
    return status;
}

/* Copies the arguments as typed, because parsing modifies them. */
static char **copy_arguments(int argc, char **argv)
{
    char **copy = calloc((size_t)argc + 1, sizeof(*copy));

    for (int i = 0; copy && i < argc; i++)
        copy[i] = strdup(argv[i]);
    return copy;
}

/* A disk may be full: what was printed must have been written. Returns the exit status. */
static int end(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout))
        fprintf(stderr, "pitot: standard output: %s\n", strerror(errno));
    else if (!ferror(stderr))
        return status;
    return status ? status : 1;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "help";
    bool asks = strcmp(name, "help") == 0;
    size_t index;

    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        return end(print_version());
    if (strcmp(name, COMPLETION) == 0)
        return end(print_completion(argc > 2 ? argv[2] : ""));
    if (strcmp(name, "-h") == 0 || strcmp(name, "--help") == 0 || (asks && argc < 3))
        return end(help(NULL));
    index = find_command(asks ? argv[2] : name);
    if (index == COMMANDS)
        return refuse_command(asks ? argv[2] : name);
    if (asks || options_ask_help(commands[index].options, argc - 1, argv + 1))
        return end(help(commands[index].options));
    return end(run(index, argc - 1, argv + 1, copy_arguments(argc, argv)));
}
