/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of a recording, as perf describes them: attributes, names, and what the header says of
 * them. Called by outside/pitot/recording.c.
 */
#pragma once

#include <stdint.h>

#include "core/lib/refusal.h"
#include "outside/pitot/event.h"
#include "outside/pitot/options.h"

/* Returns what samples consist of, the bits of PERF_SAMPLE_; `events` stays in use. */
uint64_t perf_events_describe(const struct events *events, const struct pitot_options *options);

/* Creates the recording's file, which begins with them. */
int perf_events_create(const char *path, struct refusal *why);

/* The kernel's addresses are so much higher. */
void perf_events_slide(uint64_t by);

/* Adds the header's feature. */
void perf_events_close(void);
