/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of system calls, their arguments and errors, as in `perf trace`. Pure: any context. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define TRACE_ARGUMENTS_MAX 6

enum trace_kind { TRACE_FD, TRACE_INT, TRACE_SIZE, TRACE_HEX, TRACE_PATH, TRACE_IN, TRACE_OUT };

struct trace_argument {
    const char *name; /* NULL after the last */
    enum trace_kind kind;
};

struct trace_call {
    uint64_t number;
    const char *name;
    struct trace_argument argument[TRACE_ARGUMENTS_MAX + 1];
};

#define TRACE_CALLS_MAX 64

/* Returns NULL past the end. */
const struct trace_call *trace_call_at(unsigned index);

/* Return the index of the call with this number or name; -1 if there is none. */
int trace_call_by_number(uint64_t number);
int trace_call_by_name(const char *name, size_t length);

struct trace_error {
    uint64_t number;
    const char *name, *text; /* "ENOENT", "No such file or directory" */
};

/* Returns NULL for an error that no system call here returns. */
const struct trace_error *trace_error_find(uint64_t number);
