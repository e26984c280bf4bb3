/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists of names that TAB can offer, each in the order of strcmp, so that the candidates of a
 * prefix are a range of it. A list that is made on demand is valid until the next one of its kind
 * is made. Used by kernel/console/complete_target.c; task context, the console's thread alone.
 */
#pragma once

#include <stddef.h>

/* NULL past the end. */
struct names {
    const char *(*at)(const struct names *names, size_t index);
    const void *of; /* what `at` reads, where it reads one of several */
    size_t count;
};

struct names names_none(void);
struct names names_fixed(const char *const *fixed); /* ended by NULL */
struct names names_commands(void);
struct names names_symbols(void);
struct names names_threads(void);          /* pids, of all */
struct names names_recordable(void);       /* ... of those that -p takes */
struct names names_running_programs(void); /* ... of those that `kill` takes */
struct names names_jobs(void);             /* ... of those that `wait` takes */
struct names names_events(void);
struct names names_breakpoints(void); /* how they begin */
struct names names_system_calls(void);
struct names names_crashes(void);  /* what `crash` takes */
struct names names_programs(void); /* files of /bin */
struct names names_paths(void);    /* the same with /bin/ before them */

/* The symbols of the program in this file; none if it is no program. */
struct names names_program_symbols(const char *path);
