/* SPDX-License-Identifier: BSD-2-Clause */
/* Sort keys, as in perf's --sort: each is a column of its own. For core/report/; task context. */
#pragma once

#include "core/lib/print.h"
#include "core/lib/refusal.h"
#include "core/report/tree.h"
#include "core/sample/records.h"
#include "core/sample/view.h"
#include "core/tracepoint/tracepoint.h"

#define REPORT_TEXT_SIZE 48 /* of a printed value, including the NUL */

/*
 * Parses "comm,cpu,prev_pid". Other names are fields: "NAME", "EVENT.NAME" or "SYSTEM:EVENT.NAME".
 * Splits `text` at the commas; the keys point into it. A repeated key counts once.
 */
int report_keys_parse(char *text, struct report_keys *keys, struct refusal *why);

/* Checks that every field belongs to some event. */
int report_keys_check(const struct report_keys *keys, const struct record_source *source,
                      struct refusal *why);

/* The keys of this event's samples: as in perf, only events with a field have its column. */
struct report_keys report_keys_of_event(const struct report_keys *keys,
                                        const struct recorded_event *event);

/* The sample's value of any key except the function; `text` receives its name. */
struct report_place report_key_place(const struct report_key *key, const struct sample_view *view,
                                     char text[static REPORT_TEXT_SIZE]);

/*
 * Less than 0 if `a` is printed before `b`. If all keys are equal, report_key_compare_places
 * decides: functions of one name by file, then by address as a signed number.
 */
int report_key_compare(const struct report_key *key, const struct report_place *a,
                       const struct report_place *b);
int report_key_compare_places(const struct report_key *key, const struct report_place *a,
                              const struct report_place *b);

const char *report_key_heading(const struct report_key *key);

/* Minimum width of the column for its heading, and for this value. */
size_t report_key_heading_width(const struct report_key *key);
size_t report_key_width(const struct report_key *key, const struct report_place *place);

/* Pads to `width`, except in the last column. `level`: the mark of a function. */
void report_key_print(struct sink *sink, const struct report_key *key,
                      const struct report_place *place, char level, size_t width, bool last);
