/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands for the machine: show registers, restart, power off. Task context. */
#include "arch/snapshot.h"
#include "core/breakpoint/breakpoint.h"
#include "core/console/command.h"
#include "core/lib/print.h"
#include "kernel/panic/power.h"
#include "kernel/x86_64/fault.h"

static struct sink *out; /* output of the running command */

static void print_line(const char *text)
{
    print_to(out, "%s\n", text);
}

static int regs_run(int argc, char **argv)
{
    struct regs regs;

    (void)argc, (void)argv;
    REGS_SNAPSHOT(&regs);
    out = command_output();
    arch_regs_describe(&regs, print_line);
    breakpoint_print(out);
    return 0;
}

COMMAND(regs_command) = {.name = "regs",
                         .usage = "",
                         .summary = "ip, sp, bp, flags here; control and debug registers",
                         .run = regs_run};

static int reboot_run(int argc, char **argv)
{
    (void)argc, (void)argv;
    power_request(PITOT_POWER_RESET);
    print("reboot: the machine did not restart\n");
    return -EIO;
}

COMMAND(reboot_command) = {
    .name = "reboot", .usage = "", .summary = "restarts the machine", .run = reboot_run};

static int poweroff_run(int argc, char **argv)
{
    (void)argc, (void)argv;
    power_request(PITOT_POWER_OFF);
    print("poweroff: the machine did not turn off\n");
    return -EIO;
}

COMMAND(poweroff_command) = {
    .name = "poweroff", .usage = "", .summary = "turns the machine off", .run = poweroff_run};
