/* SPDX-License-Identifier: BSD-2-Clause */
/* The second kernel's own tracepoint, declared as in core/tracepoint/tracepoint.h. */
#pragma once

#include "core/tracepoint/define.h"

#define PORT_STEP_FIELDS(FIELD, of)                                                                \
    FIELD(of, u64, value, "value=%lu")                                                             \
    FIELD(of, text, kind, " kind=%s")

TRACEPOINT_DECLARE(port_step, PORT_STEP_FIELDS);
