/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where gdb may set points: refuses addresses at which a breakpoint would never stop, instead of
 * letting the user wait for it. In a stop.
 */
#include "arch/debugger.h"
#include "arch/memory.h"
#include "core/gdb/points.h"

/* Returns NULL if a breakpoint there may stop. */
static const char *problem_of(enum gdb_point kind, uint64_t address)
{
    switch (arch_execution_seen(address)) {
    case ARCH_SEEN_OUTSIDE:
        return kind == GDB_POINT_SOFTWARE && arch_breakpoint_is_instruction()
                   ? "hits, NMIs or the debugger itself run this code: use hbreak"
                   : NULL;
    case ARCH_SEEN_NEVER:
        return "only hits, NMIs and the debugger itself run this code, where nothing can stop it";
    case ARCH_SEEN_ENTRY:
        return "traps and system calls enter and leave the kernel here: use stepi, or break at the "
               "function that this code calls";
    case ARCH_SEEN_ALWAYS:
        break;
    }
    return NULL;
}

int gdb_point_refuse(enum gdb_point kind, uint64_t address, struct refusal *why)
{
    const char *problem = NULL;

    if (address < ARCH_USER_END)
        return refuse(why, EINVAL,
                      "0x%lx is a program's address, and gdb's breakpoints and watches are the "
                      "kernel's: use perf record -e mem:/PROGRAM:SYMBOL:x",
                      (unsigned long)address);
    if (kind == GDB_POINT_SOFTWARE || kind == GDB_POINT_HARDWARE)
        problem = problem_of(kind, address);
    if (!problem)
        return 0;
    return refuse(why, EPERM, "no breakpoint at 0x%lx: %s", (unsigned long)address, problem);
}
