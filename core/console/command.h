/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Console commands. Each command is defined in the file of its subject and puts itself into the
 * section `commands`, which the console searches: linking the file adds the command. A workload of
 * `perf record -- ...` is a command like any other. Commands run in task context with interrupts
 * on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sink;

struct command {
    const char *name;
    const char *usage;   /* the arguments; "": none, and any argument is refused */
    const char *summary; /* one line for `help` */
    /* argv[0] is the name. Returns 0, or a negative errno after printing the reason. */
    int (*run)(int argc, char **argv);
    /*
     * Prints help on the subcommand `part` for `help NAME PART`, or reports that it does not exist;
     * with NULL, lists the subcommands. Returns 0 or a negative errno. NULL if there are no
     * subcommands.
     */
    int (*help)(const char *part);
};

#define COMMAND(identifier)                                                                        \
    static const struct command identifier;                                                        \
    __attribute__((section("commands"),                                                            \
                   used)) static const struct command *const identifier##_entry = &identifier;     \
    static const struct command identifier

/*
 * The command with this name, or NULL. A path selects the command `run`; argv[0] is then the path.
 */
const struct command *command_find(const char *name);

/*
 * The next command in name order: NULL gives the first, and NULL follows the last. If two have the
 * same name, only the first linked one is returned, as by command_find.
 */
const struct command *command_after(const struct command *before);

/* Prints what `help NAME` shows. */
void command_print_help(const struct command *command);

/*
 * Finds and runs a command; reports an unknown name and suggests similar ones. If -h or --help is
 * the only argument, prints the command's help instead.
 */
int command_run(int argc, char **argv);

/*
 * True if ^C was typed since the current command line began; long-running commands check it
 * regularly and return -EINTR.
 */
bool command_interrupted(void);

/*
 * Consumes the ^C: command_interrupted() is false again until the next one. For a command that
 * responds to ^C by printing its results, which the next ^C may cut short. The command finally
 * returns -EINTR, so that the rest of the line does not run.
 */
bool command_take_interrupt(void);

/* Sleeps until a ^C is typed. */
void command_wait_interrupt(void);

/*
 * The console's sink for long output: after ^C, it completes the current line and drops the rest. A
 * command calls this each time it runs, and returns -EINTR if it was interrupted.
 */
struct sink *command_output(void);

/*
 * Called often by long-running commands: after the first second, about once a second, updates a
 * line such as "fs-stress: 1200 of 5000" on the console.
 */
void command_progress(const char *what, unsigned long done, unsigned long total);
