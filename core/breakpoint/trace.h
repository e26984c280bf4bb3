/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tracepoint breakpoint:hit, raised in the debug trap, once per register that hit. `old`: the
 * bytes at the register's last hit, or when it was armed; `new`: now; both are 0 for x. `insn`: the
 * instruction that made the access, 0 if `how` is "unknown" (docs/unwinding.md).
 */
#pragma once

#include "core/tracepoint/tracepoint.h"

extern struct pitot_tracepoint tracepoint_breakpoint_hit;
