/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists of names for TAB completion, each sorted by strcmp. A list that is built on demand is valid
 * until the next list of its kind. Task context, the console's thread only.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct thread;

/* A list; `at` returns NULL past its end. */
struct names {
    const char *(*at)(const struct names *names, size_t index);
    const void *of; /* data for `at`, if it serves several lists */
    size_t count;
};

struct names names_fixed(const char *const *fixed); /* terminated by NULL */
struct names names_commands(void);
struct names names_symbols(void);
struct names names_pids(bool (*takes)(const struct thread *thread));
struct names names_events(void);
struct names names_system_calls(void);
struct names names_crashes(void);  /* arguments of `crash` */
struct names names_programs(void); /* files in /bin */
struct names names_paths(void);    /* the same, with /bin/ before each */

/* Returns the symbols of the program at `path`; an empty list if it is not a program. */
struct names names_program_symbols(const char *path);
