/* SPDX-License-Identifier: BSD-2-Clause */
/* This kernel as a target of gdb's protocol, and where gdb may set points. Called in stops. */
#include "arch/cpu.h"
#include "arch/debugger.h"
#include "arch/memory.h"
#include "core/gdb/session.h"
#include "core/host.h"
#include "core/lib/print.h"
#include "core/task.h"

static void cpu_describe(unsigned cpu, char *text, size_t size)
{
    const char *name = host.task_name ? host.task_name(cpu) : NULL;

    if (name)
        print_into(text, size, "%s (%u)%s", name, (uint32_t)task_ids[cpu],
                   arch_stopped_regs(cpu) ? "" : ", does not answer");
    else
        print_into(text, size, "no thread yet");
}

static int register_write(unsigned cpu, unsigned number, const uint8_t *bytes, struct refusal *why)
{
    if (arch_debug_register_write(cpu, number, bytes))
        return 0;
    return refuse(why, EPERM,
                  "only general registers, rip and eflags can be set; debug registers are set by "
                  "watch and hbreak");
}

static size_t memory_read(uint64_t address, uint8_t *to, size_t length)
{
    size_t count = arch_debug_read(address, to, length);

    gdb_points_hide(address, to, count);
    return count;
}

static int memory_write(uint64_t address, const uint8_t *from, size_t length, struct refusal *why)
{
    if (arch_debug_write(address, from, length)) {
        gdb_points_keep(address, length);
        return 0;
    }
    return refuse(why, EFAULT, "0x%lx/%zu cannot be written", (unsigned long)address, length);
}

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

/* An address at which a point would never stop is refused, or the user would wait for it. */
int gdb_point_refuse(enum gdb_point kind, uint64_t address, struct refusal *why)
{
    const char *problem = NULL;

    if (arch_of_programs(address))
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

/* Constant, except the number of registers, which arch reports. */
const struct gdb_target gdb_machine = {
    .cpus = arch_cpus,
    .cpu_is_there = arch_cpu_runs,
    .cpu_describe = cpu_describe,
    .description = arch_debug_description,
    .registers = arch_debug_registers,
    .register_size = arch_debug_register_size,
    .expedited = arch_debug_expedited,
    .expedited_count = ARCH_DEBUG_EXPEDITED,
    .register_read = arch_debug_register_read,
    .register_write = register_write,
    .memory_read = memory_read,
    .memory_write = memory_write,
    .point_refuse = gdb_point_refuse,
    .point_change = gdb_point_change,
    .points_clear = gdb_points_clear,
};
