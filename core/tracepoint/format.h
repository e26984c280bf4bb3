/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the description of a tracepoint that libtraceevent reads, and the line that it prints for
 * a record. Task context; a record may also be printed in a panic.
 */
#pragma once

#include "core/lib/print.h"
#include "core/tracepoint/tracepoint.h"

/* Values of fields of kind function or code, which are shown by name. */
#define FORMAT_NAMES_MAX 64
struct format_names {
    uint64_t value[FORMAT_NAMES_MAX];
    unsigned count;
    bool functions; /* also the first instruction of every function */
};

/* Adds the values of such fields in the record, while there is room. */
void format_names_add(struct format_names *names, const struct pitot_tracepoint *tracepoint,
                      const void *record, size_t size);

/*
 * Prints the description as in Linux' events/SYSTEM/NAME/format. perf 6.1 does not resolve %ps when
 * it reads a pipe, so the description has a table of functions' names.
 */
void tracepoint_format_print(struct sink *sink, const struct pitot_tracepoint *tracepoint,
                             const struct format_names *names);

/* Prints the record as `perf script` does; fields beyond `size` bytes are omitted. */
void tracepoint_record_print(struct sink *sink, const struct pitot_tracepoint *tracepoint,
                             const void *record, size_t size);

/* Returns the C type of a field, for lists: "void *", "char". */
const char *tracepoint_type_name(const struct pitot_field *field);
