/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The commands of pitot, each in a file of the same name. Called by outside/pitot/main.c.
 *
 * In outside/pitot/ a function with a struct refusal returns 0, or a negative errno and the reason,
 * unless its comment says otherwise.
 */
#pragma once

#include "outside/pitot/options.h"
#include "outside/pitot/watch.h"

/* Passed to each command once all user input has been checked. */
struct command {
    const struct pitot_options *options;
    int argc; /* the whole command as typed */
    char *const *argv;
};

/* The commands leave QEMU's exit status in watch->status. */
int command_record(const struct command *command, struct watch *watch, struct refusal *why);
int command_stat(const struct command *command, struct watch *watch, struct refusal *why);
int command_cover(const struct command *command, struct watch *watch, struct refusal *why);
int command_blame(const struct command *command, struct watch *watch, struct refusal *why);
int command_graph(const struct command *command, struct watch *watch, struct refusal *why);
int command_heap(const struct command *command, struct watch *watch, struct refusal *why);
int command_locks(const struct command *command, struct watch *watch, struct refusal *why);
int command_race(const struct command *command, struct watch *watch, struct refusal *why);
int command_repeat(const struct command *command, struct watch *watch, struct refusal *why);
int command_trace(const struct command *command, struct watch *watch, struct refusal *why);
int command_last(const struct command *command, struct watch *watch, struct refusal *why);

/* Chooses a seed, if the user gives none: from 1 to 10000, as it is printed, and typed again. */
uint64_t seed_choose(void);

/* Adds up the files of `pitot race -i FILE...`. */
int race_ask_files(const struct pitot_options *options, struct refusal *why);

/* Runs `pitot blame PLACE...` without QEMU, from a file. */
int blame_ask_file(const struct pitot_options *options, struct refusal *why);

/* Runs `pitot trace -i FILE`. */
int trace_read_recording(const struct pitot_options *options, struct refusal *why);

/* Runs `pitot show`, also for `pitot record --show`. */
int show_recording(const struct pitot_options *options, struct refusal *why);
