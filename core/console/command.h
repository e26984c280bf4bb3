/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Console commands (PITOT_COMMAND of core/pitot.h), also as workloads of `perf record -- ...`:
 * which there are, who runs them, ^C and TAB. Linking the file that defines a command adds it. Task
 * context, interrupts on.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/pitot.h"
#include "core/sample/records.h"

struct sink;

/* Returns the command with this name, or NULL. For a path, returns the command `run`. */
const struct pitot_command *command_find(const char *name);

/* Writes what to type instead of a command that does not exist (habits.h). 0: nothing is known. */
size_t command_answer(int argc, char **argv, char *text, size_t size);

/*
 * Writes "near: NAME, NAME; ", up to three candidates that begin with `wrong` or differ from it in
 * at most a third of its letters, or "". name_at returns the candidates, then NULL. Any context in
 * which name_at may run.
 */
void near_write(const char *wrong, const char *(*name_at)(size_t index), char *text, size_t size);

/*
 * If there is no command argv[0], writes so, and what to type instead, and returns true. Any
 * context in which the sink works.
 */
bool command_refuse(int argc, char **argv, struct sink *to);

/* Prints what `help NAME` shows. */
void command_print_help(const struct pitot_command *command);

/*
 * Runs a command; or prints its help, if the only argument is -h or --help; or suggests similar
 * names, if the command is unknown.
 */
int command_run(int argc, char **argv);

/* The same, with its progress. */
int command_run_words(int argc, char **argv);

/*
 * What pitot_run_words calls in another kernel, which checks the kernel before its first command;
 * NULL: command_run_words. Set at boot.
 */
extern int (*command_around)(int argc, char **argv);

/*
 * --- The thread that runs commands: the console's or that of gdb's `monitor`, one at a time,
 * because commands keep their data in static memory and share one set of rings and one ^C. ---
 */

/*
 * Gives the thread with these ids (core/task.h) the right to run commands, until the right has been
 * released as often as it was claimed. `who`, for example "the console", names the owner to other
 * threads. Returns false if another thread has the right. Any context.
 */
bool command_owner_claim(uint64_t ids, const char *who);
void command_owner_release(void);

/* --- ^C, and output: output.c. --- */

/* True if ^C was typed since the command line began; long commands then return -EINTR. */
bool command_interrupted(void);

/*
 * Returns the same and consumes the ^C, so that output continues until the next ^C. The command
 * still returns -EINTR.
 */
bool command_take_interrupt(void);

/* Sleeps until a ^C is typed. */
void command_wait_interrupt(void);

/* A record source that ends at ^C, for commands that read recordings. */
struct interruptible {
    struct record_source source; /* passed to the reader */
    struct record_source *records;
};

/* `records` must outlive the returned structure. */
struct interruptible interruptible_records(struct record_source *records);

/*
 * Returns the sink for long output: after ^C it completes the line and drops the rest. A command
 * calls this each time it runs, and returns -EINTR if it was interrupted.
 */
struct sink *command_output(void);

/*
 * Called before and after each command. progress_begin starts a second in which no progress line is
 * shown; progress_end ends the progress line.
 */
void progress_begin(void);
void progress_end(void);

/* --- TAB: what `words` may call beside pitot_word, one caller at a time: complete.c. --- */

/*
 * The words that are reported next complete only `part`, the end of the last argument. `blank`:
 * another argument may follow.
 */
void complete_part(const char *part, bool blank);

/* Reports the words of a list that is sorted by strcmp. */
void complete_sorted(const char *(*at)(const void *of, size_t index), const void *of, size_t count);

/* Reports what the kernel gives, if it gives any. */
void complete_told(enum pitot_words which);

/* Reports what a command may have as its last argument; with one argument, the commands. */
void complete_command(int argc, char **argv);
