/* SPDX-License-Identifier: BSD-2-Clause */
/* See source.h. The last source accepts every name with a colon. */
#include "core/event/source.h"

const struct event_source *const event_sources[] = {&breakpoint_source, &clock_source,
                                                    &branches_source, &tracepoint_source};
const size_t event_source_count = sizeof(event_sources) / sizeof(event_sources[0]);
