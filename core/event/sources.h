/* SPDX-License-Identifier: BSD-2-Clause */
/* All event sources (core/event/source.h). */
#pragma once

#include "core/event/source.h"

extern const struct event_source breakpoint_source, clock_source, branches_source,
    tracepoint_source;
