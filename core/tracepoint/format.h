/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tracepoint and its records as text: the description that libtraceevent reads, and the line that
 * it then prints. Both come from the table of fields that the declaration makes. Task context; a
 * record may be printed in a panic as well.
 */
#pragma once

#include "core/lib/print.h"
#include "core/tracepoint/tracepoint.h"

/* Values of a field of kind function, to be shown by name. */
#define FORMAT_NAMES_MAX 64
struct format_names {
    uint64_t value[FORMAT_NAMES_MAX];
    unsigned count;
    bool functions; /* also the first instruction of every function */
};

/* Adds the functions in the record's fields, as long as there is room. */
void format_names_add(struct format_names *names, const struct tracepoint *tracepoint,
                      const void *record, size_t size);

/*
 * The description, as Linux has it in events/SYSTEM/NAME/format. perf 6.1 does not resolve %ps when
 * it reads a pipe, so the names of functions go along, as a table of values.
 */
void tracepoint_format_print(struct sink *sink, const struct tracepoint *tracepoint,
                             const struct format_names *names);

/* The record as `perf script` prints it; fields beyond `size` bytes are left out. */
void tracepoint_record_print(struct sink *sink, const struct tracepoint *tracepoint,
                             const void *record, size_t size);

/* The type of a field in C, for lists: "void *", "char". */
const char *tracepoint_type_name(const struct tracepoint_field *field);
