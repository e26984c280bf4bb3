/* SPDX-License-Identifier: BSD-2-Clause */
/* The second kernel's own tracepoint. */
#pragma once

#include "core/pitot.h"

PITOT_TRACEPOINT_DECLARE(port_step, 2);
