/* SPDX-License-Identifier: BSD-2-Clause */
/* Sort keys, as in perf's --sort: each is a column of its own. For core/report/; task context. */
#pragma once

#include "core/lib/print.h"
#include "core/lib/refusal.h"
#include "core/report/tree.h"
#include "core/sample/records.h"
#include "core/sample/view.h"
#include "core/tracepoint/tracepoint.h"

#define REPORT_TEXT_SIZE 48 /* size of a printed value, including the NUL */

/*
 * Parses "comm,cpu,prev_pid". Other words name fields: "NAME", "EVENT.NAME" or "SYSTEM:EVENT.NAME".
 * Splits `text` at the commas; the keys point into it. A repeated key counts once.
 */
int report_keys_parse(char *text, struct report_keys *keys, struct refusal *why);

/* Checks that every field belongs to some event. */
int report_keys_check(const struct report_keys *keys, const struct record_source *source,
                      struct refusal *why);

/* Returns the keys for the event: as in perf, only events that have a field have its column. */
struct report_keys report_keys_of_event(const struct report_keys *keys,
                                        const struct recorded_event *event);

/* Returns the sample's value for any key except the symbol; `text` receives the value's name. */
struct report_place report_key_place(const struct report_key *key, const struct sample_view *view,
                                     char text[static REPORT_TEXT_SIZE]);

/*
 * Return less than 0 if `a` is printed before `b`. If report_key_compare finds all keys equal,
 * report_key_compare_places decides: it orders functions of the same name by file, then by address
 * as a signed number.
 */
int report_key_compare(const struct report_key *key, const struct report_place *a,
                       const struct report_place *b);
int report_key_compare_places(const struct report_key *key, const struct report_place *a,
                              const struct report_place *b);

const char *report_key_heading(const struct report_key *key);

/* Return the minimum width of the column: for its heading, and for this value. */
size_t report_key_heading_width(const struct report_key *key);
size_t report_key_width(const struct report_key *key, const struct report_place *place);

/* Prints a value, padded to `width` except in the last column. `level`: see struct report_node. */
void report_key_print(struct sink *sink, const struct report_key *key,
                      const struct report_place *place, char level, size_t width, bool last);
