/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `watches-off [TICKS]`: disarms this CPU's debug registers without the arbiter's knowledge, and
 * waits for TICKS ticks (default 0), for tests/boot/branches.t: the kernel must notice. Task
 * context.
 */
#include "arch/cpu.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/debug/debugreg.h"
#include "core/console/command.h"
#include "kernel/time/ticks.h"

static int watches_off_run(int argc, char **argv)
{
    uint64_t flags = arch_irq_save(), until = ticks + (argc > 1 ? argv[1][0] - '0' : 0);

    cpu_write_dr7(DR7_OFF);
    arch_irq_restore(flags);
    while (ticks < until)
        arch_relax();
    return 0;
}

PITOT_COMMAND_AS(watches_off, "watches-off", "[TICKS]",
                 "debug registers off, unknown to the kernel", watches_off_run, 0);
