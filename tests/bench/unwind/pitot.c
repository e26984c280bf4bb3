/* SPDX-License-Identifier: BSD-2-Clause */
/* This kernel's unwinder, called as by a hit (core/sample/sample.c). */
#include "core/unwind/unwind.h"

#include "tests/bench/unwind/methods.h"

static size_t by_table(const struct regs *regs, uint64_t *addresses, size_t most)
{
    return unwind_capture_by(UNWIND_BY_TABLE, regs, 0, addresses, most);
}

static size_t by_frame_pointer(const struct regs *regs, uint64_t *addresses, size_t most)
{
    return unwind_capture_by(UNWIND_BY_FRAME_POINTER, regs, 0, addresses, most);
}

const struct method method_pitot = {
    .name = "Pitot, table", .run = chain_plain, .capture = by_table};
const struct method method_pitot_dense = {
    .name = "Pitot, table, dense rows", .run = chain_dense, .capture = by_table};
const struct method method_pitot_framed = {
    .name = "Pitot, table, framed stack", .run = chain_framed, .capture = by_table};
const struct method method_pitot_fp = {
    .name = "Pitot, frame pointers", .run = chain_framed, .capture = by_frame_pointer};
