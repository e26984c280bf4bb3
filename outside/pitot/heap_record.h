/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The reports of `pitot heap` as a file for perf: an event for each kind of report, with the fields
 * object, size, offset and age, and two whose period is bytes: heap:peak, what was live when the
 * most was, and heap:live, at the end, by who allocated it. Called by outside/pitot/heap.c.
 */
#pragma once

#include "outside/pitot/command.h"
#include "outside/wire.h"

/* The path of the file. */
const char *heap_record_output(const struct pitot_options *options);

int heap_record_create(const struct pitot_options *options, const struct kernel *kernel,
                       struct refusal *why);

/* A report: when it is first seen, and again with the number of later hits. */
int heap_record_report(const struct wire_heap *report, uint64_t hits, struct refusal *why);

int heap_record_live(const struct wire_live *live, struct refusal *why);

int heap_record_close(const struct command *command, const struct watch *watch,
                      struct refusal *why);
