/* SPDX-License-Identifier: BSD-2-Clause */
/* NMIs of the debugger's serial line, on the boot CPU. */
#include "arch/cpu.h"
#include "arch/x86_64/debug/stop.h"
#include "arch/x86_64/entry/nmi.h"
#include "arch/x86_64/entry/trap.h"
#include "arch/x86_64/entry/vectors.h"

#define LINGER_NS 1000000000ull /* an NMI of the line may come this late */

static struct nmi_clock clock; /* the NMI clock before stop_listens; changed with all CPUs parked */

/* Takes the place of the NMI clock's `came`, which it calls. */
static bool stop_listens(void)
{
    stop_hear();
    return clock.came && clock.came();
}

/*
 * An unexplained NMI may be the line's, whose bytes an earlier NMI or a stop has just read. So this
 * stays the handler after the debugger has left: in the NMI in which it leaves, and in that which
 * waits for this one's end.
 */
static void stop_unexplained(struct regs *regs)
{
    if (percpu_self()->cpu != 0 || arch_clock_ns() - stop_heard_at() > LINGER_NS)
        trap_fatal(regs);
}

void stop_line_attach(bool attach)
{
    struct nmi_clock listening = {.came = stop_listens};

    if (attach)
        clock = nmi_clock_now();
    listening.serve = clock.serve;
    nmi_set_clock(attach ? &listening : &clock);
    trap_set_handler(VECTOR_NMI, stop_unexplained);
}
