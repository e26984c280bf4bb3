/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tracepoint breakpoint:hit, raised in the debug trap, once per register that hit. `old`: the
 * bytes at the register's last hit, or when it was armed; `new`: now; both are 0 for x. `insn`: the
 * instruction that made the access, 0 if `how` is "unknown" (docs/unwinding.md).
 */
#pragma once

#include "core/tracepoint/define.h"

#define BREAKPOINT_HIT_FIELDS(FIELD, of)                                                           \
    FIELD(of, pointer, address, "address=%p")                                                      \
    FIELD(of, u32, length, " length=%u")                                                           \
    FIELD(of, text, access, " access=%s")                                                          \
    FIELD(of, u64, old, " old=0x%lx")                                                              \
    FIELD(of, u64, new, " new=0x%lx")                                                              \
    FIELD(of, code, insn, " insn=%pS")                                                             \
    FIELD(of, text, how, " how=%s")

TRACEPOINT_DECLARE_AT(breakpoint, hit, BREAKPOINT_HIT_FIELDS);
