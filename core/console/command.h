/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A command of the console. Each command is in the file of its subject and puts itself into the
 * section `commands`, which the console searches: a command is added by linking its file. A
 * workload of `perf record -- ...` is a command like any other. Commands run in task context with
 * interrupts on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct sink;

struct command {
    const char *name;
    const char *usage;   /* the words after the name; "": there are none, and any word is refused */
    const char *summary; /* one line for `help` */
    /* argv[0] is the name; 0, or a negative errno after saying why */
    int (*run)(int argc, char **argv);
    /*
     * What `help NAME PART` says of a part of the command, or that there is none; of NULL: which
     * parts there are. 0 or a negative errno. NULL: it has no parts.
     */
    int (*help)(const char *part);
};

#define COMMAND(identifier)                                                                        \
    static const struct command identifier;                                                        \
    __attribute__((section("commands"),                                                            \
                   used)) static const struct command *const identifier##_entry = &identifier;     \
    static const struct command identifier

/* The command with this name, or NULL. A path means the command `run`; then argv[0] is the path. */
const struct command *command_find(const char *name);

/*
 * The next command in order of names: NULL gives the first; NULL is returned after the last. If two
 * have the same name, the first linked one counts, as in command_find.
 */
const struct command *command_after(const struct command *before);

/* What `help NAME` says. */
void command_print_help(const struct command *command);

/*
 * Finds and runs a command; if the name is unknown, says so, and which names are similar. With -h
 * or --help alone says what `help` does.
 */
int command_run(int argc, char **argv);

/*
 * True if ^C was typed since the current command line began; long work calls this now and then, and
 * returns -EINTR.
 */
bool command_interrupted(void);

/*
 * Takes the ^C: command_interrupted() is false again until the next one. For a command that answers
 * a ^C by printing what it has, which the next ^C may cut. It returns -EINTR in the end, so that
 * the rest of the line does not run.
 */
bool command_take_interrupt(void);

/* Sleeps until a ^C is typed. */
void command_wait_interrupt(void);

/*
 * The console, for a command that may print much: after ^C the line that is open is completed, and
 * nothing more is printed. A command asks for it anew each time it runs, and returns -EINTR when it
 * was interrupted.
 */
struct sink *command_output(void);

/*
 * Long work calls this often: after the first second, about once a second, a line like "fs-stress:
 * 1200 of 5000" replaces itself on the console.
 */
void command_progress(const char *what, unsigned long done, unsigned long total);
