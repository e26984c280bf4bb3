/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of sources: a new one is a line here. The last takes what has a colon in it. */
#include "core/source/sources.h"

const struct event_source *const event_sources[] = {&breakpoint_source, &clock_source,
                                                    &branches_source, &tracepoint_source};
const size_t event_source_count = sizeof(event_sources) / sizeof(event_sources[0]);
