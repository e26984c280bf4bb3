/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Console commands, also as workloads of `perf record -- ...`. Linking the file that defines a
 * command adds it, by the section `commands`. Task context, interrupts on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sink;

struct command {
    const char *name;
    const char *usage;   /* arguments it takes; "" if it takes none */
    const char *summary; /* one line for `help` */
    /* argv[0] is the name. Returns 0, or a negative errno after printing the reason. */
    int (*run)(int argc, char **argv);
    /* Prints help on a subcommand; with NULL, lists them. Returns 0, or a negative errno. */
    int (*help)(const char *part); /* NULL: there are no subcommands */
};

#define COMMAND(identifier)                                                                        \
    static const struct command identifier;                                                        \
    __attribute__((section("commands"),                                                            \
                   used)) static const struct command *const identifier##_entry = &identifier;     \
    static const struct command identifier

/* Returns the command with this name, or NULL. For a path, returns the command `run`. */
const struct command *command_find(const char *name);

/*
 * Returns the next command in the order of names: the first for NULL, NULL after the last. Of
 * commands with equal names, returns only the one linked first.
 */
const struct command *command_after(const struct command *before);

/* Writes what to type instead of a command that does not exist (habits.h). 0: nothing is known. */
size_t command_answer(int argc, char **argv, char *text, size_t size);

/*
 * If there is no command argv[0], prints so, and what to type instead, and returns true. Any
 * context in which the sink works.
 */
bool command_refuse_unknown(int argc, char **argv, struct sink *to);

/* Prints what `help NAME` shows. */
void command_print_help(const struct command *command);

/*
 * Runs a command; or prints its help, if the only argument is -h or --help; or suggests similar
 * names, if the command is unknown.
 */
int command_run(int argc, char **argv);

/* True if ^C was typed since the command line began; long commands then return -EINTR. */
bool command_interrupted(void);

/*
 * Returns the same and consumes the ^C, so that output continues until the next ^C. The command
 * still returns -EINTR.
 */
bool command_take_interrupt(void);

/* Sleeps until a ^C is typed. */
void command_wait_interrupt(void);

/*
 * Returns the sink for long output: after ^C it completes the line and drops the rest. A command
 * calls this each time it runs, and returns -EINTR if it was interrupted.
 */
struct sink *command_output(void);

/* Called often by long commands; once a second, updates a line: "fs-stress: 1200 of 5000". */
void command_progress(const char *what, unsigned long done, unsigned long total);

/*
 * Called before and after each command. progress_begin starts a second in which no progress line is
 * shown; progress_end ends the progress line.
 */
void progress_begin(void);
void progress_end(void);
