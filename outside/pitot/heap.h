/* SPDX-License-Identifier: BSD-2-Clause */
/* What `pitot heap` asks of the plugin, and what it writes. Called by outside/pitot/heap.c. */
#pragma once

#include "outside/pitot/command.h"
#include "outside/pitot/options.h"
#include "outside/pitot/watch.h"
#include "outside/wire.h"

/* --- What it asks: heap_ask.c --- */

/* Finds the allocators, and adds to the request all that it has for the heap. */
int heap_ask(const struct pitot_options *options, struct watch *watch, struct refusal *why);

/* Prints which allocators were found, and what is changed in the kernel. */
void heap_ask_tell(const struct pitot_options *options);

/* --- What it writes: heap_record.c --- */

/*
 * The reports as a file for perf: an event for each kind of report, with the fields object, size,
 * offset and age, and two whose period is bytes: heap:peak, what was live when the most was, and
 * heap:live, at the end, by who allocated it.
 */

/* The path of the file. */
const char *heap_record_output(const struct pitot_options *options);

int heap_record_create(const struct pitot_options *options, const struct kernel *kernel,
                       struct refusal *why);

/* A report: when it is first seen, and again with the number of later hits. */
int heap_record_report(const struct wire_heap *report, uint64_t hits, struct refusal *why);

int heap_record_live(const struct wire_live *live, struct refusal *why);

int heap_record_close(const struct command *command, const struct watch *watch,
                      struct refusal *why);
