/* SPDX-License-Identifier: BSD-2-Clause */
/* The event sources of another kernel. The last accepts any name with a colon. */
#include "core/embed/embed.h"
#include "core/event/source.h"
#include "core/host.h"

const struct event_source *const event_sources[] = {&breakpoint_source, &clock_source,
                                                    &embed_branches_source, &tracepoint_source};
const size_t event_source_count = sizeof(event_sources) / sizeof(event_sources[0]);
const bool own_kernel = false;
