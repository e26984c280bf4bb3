/* SPDX-License-Identifier: BSD-2-Clause */
/* libgcc's unwinder, which C++ exceptions and backtrace() use: interprets .eh_frame each time. */
#include <unwind.h>

#include "tests/bench/unwind/methods.h"

struct trace {
    uint64_t *addresses;
    size_t count, most;
};

static _Unwind_Reason_Code note(struct _Unwind_Context *context, void *argument)
{
    struct trace *trace = argument;

    /* the outermost function, which has no caller */
    if (_Unwind_GetIP(context) == 0)
        return _URC_END_OF_STACK;
    if (trace->count == trace->most)
        return _URC_END_OF_STACK;
    trace->addresses[trace->count++] = _Unwind_GetIP(context);
    return _URC_NO_REASON;
}

static size_t by_libgcc(const struct regs *regs, uint64_t *addresses, size_t most)
{
    struct trace trace = {.addresses = addresses, .most = most};

    (void)regs;
    _Unwind_Backtrace(note, &trace);
    return trace.count;
}

const struct method method_libgcc = {
    .name = "libgcc _Unwind_Backtrace", .run = chain_plain, .capture = by_libgcc};
