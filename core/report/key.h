/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the lines of a report are told apart by, as perf's --sort has it: the function, the task's
 * name, its number, the CPU, and the fields of tracepoints. Each is a column: what is the same,
 * what comes first, how wide it is, and how it is printed. Used by core/report/report.c and its
 * parts; task context.
 */
#pragma once

#include "core/lib/print.h"
#include "core/lib/refusal.h"
#include "core/report/tree.h"
#include "core/sample/records.h"
#include "core/sample/view.h"
#include "core/tracepoint/tracepoint.h"

#define REPORT_TEXT_SIZE 48 /* of a value as it is printed, the end included */

/*
 * Reads "comm,cpu,prev_pid". A name that is none of perf's is a field's, "NAME", "EVENT.NAME" or
 * "SYSTEM:EVENT.NAME"; it stays in `text`, which the keys point into and which is cut at the
 * commas. A key that stands there twice counts once. 0, or -EINVAL with the reason.
 */
int report_keys_parse(char *text, struct report_keys *keys, struct refusal *why);

/* Whether each field is one of some event's; 0, or -EINVAL with the fields that there are. */
int report_keys_check(const struct report_keys *keys, const struct record_source *source,
                      struct refusal *why);

/* Those that this event's samples have: as in perf, a field is no column of another event's. */
struct report_keys report_keys_of_event(const struct report_keys *keys,
                                        const struct recorded_event *event);

/*
 * The sample's value of any key but the function. Its name lies in `text`, which the tree copies.
 */
struct report_place report_key_place(const struct report_key *key, const struct sample_view *view,
                                     char text[static REPORT_TEXT_SIZE]);

/*
 * Less than 0 if `a` is printed before `b`. What no key tells apart the second one does: functions
 * of one name by file and address, bare addresses as signed numbers, the kernel's first.
 */
int report_key_compare(const struct report_key *key, const struct report_place *a,
                       const struct report_place *b);
int report_key_compare_places(const struct report_key *key, const struct report_place *a,
                              const struct report_place *b);

const char *report_key_heading(const struct report_key *key);

/* True: the column is set to the left. */
bool report_key_is_left(const struct report_key *key);

/* How wide the column has to be for its heading, and for this value. */
size_t report_key_heading_width(const struct report_key *key);
size_t report_key_width(const struct report_key *key, const struct report_place *place);

/* `level` is the function's mark. Blanks after it fill the column, if it is not the last. */
void report_key_print(struct sink *sink, const struct report_key *key,
                      const struct report_place *place, char level, size_t width, bool last);
