/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands for the machine: show registers, restart, power off. Task context. */
#include <linux/errno.h>

#include "arch/snapshot.h"
#include "core/lib/print.h"
#include "core/pitot.h"
#include "kernel/panic/panic.h"
#include "kernel/x86_64/fault.h"

static void print_line(const char *text)
{
    pitot_print("%s\n", text);
}

static int regs_run(int argc, char **argv)
{
    struct regs regs;

    (void)argc, (void)argv;
    REGS_SNAPSHOT(&regs);
    arch_regs_describe(&regs, print_line);
    pitot_watches_print();
    return 0;
}

PITOT_COMMAND(regs, "", "ip, sp, bp, flags here; control and debug registers", regs_run);

static int reboot_run(int argc, char **argv)
{
    (void)argc, (void)argv;
    power_request(PITOT_POWER_RESET);
    print("reboot: the machine did not restart\n");
    return -EIO;
}

PITOT_COMMAND(reboot, "", "restarts the machine", reboot_run);

static int poweroff_run(int argc, char **argv)
{
    (void)argc, (void)argv;
    power_request(PITOT_POWER_OFF);
    print("poweroff: the machine did not turn off\n");
    return -EIO;
}

PITOT_COMMAND(poweroff, "", "turns the machine off", poweroff_run);
