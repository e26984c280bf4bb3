/* SPDX-License-Identifier: BSD-2-Clause */
/* NMIs of the debugger's serial line, on the boot CPU. */
#include "arch/cpu.h"
#include "arch/debugger.h"
#include "arch/x86_64/debug/stop.h"
#include "arch/x86_64/entry/nmi.h"
#include "arch/x86_64/entry/trap.h"
#include "arch/x86_64/entry/vectors.h"
#include "arch/x86_64/smp/park.h"
#include "arch/x86_64/smp/rendezvous.h"

#define LINGER_NS 1000000000ull /* an NMI of the line may come this late */

static struct nmi_clock clock; /* the NMI clock before stop_listens; changed with all CPUs parked */
/* The last time at which the line may have raised an NMI. [boot CPU; any CPU in a stop] */
static uint64_t heard;

void stop_line_was_read(void)
{
    heard = arch_clock_ns();
}

/*
 * Stops this CPU or, if it is parked, the CPU that runs alone. The debugger may detach meanwhile.
 */
static void stop_hear(void)
{
    const struct arch_debugger *with = stop_debugger();
    enum arch_heard said = with ? with->listens() : ARCH_HEARD_NOTHING;
    unsigned lone;

    if (said != ARCH_HEARD_NOTHING)
        heard = arch_clock_ns();
    if (said != ARCH_HEARD_STOP)
        return;
    if (park_has_lone(&lone) && lone != arch_cpu_id())
        arch_stop_cpu(lone);
    else
        rendezvous_ask(arch_cpu_id(), RENDEZVOUS_STOP);
}

/* Takes the place of the NMI clock's `came`, which it calls. */
static bool stop_listens(void)
{
    stop_hear();
    return clock.came && clock.came();
}

/* The parked boot CPU polls, as the line's NMI waits until it resumes. */
static void stop_hear_parked(void)
{
    unsigned lone;

    if (percpu_self()->cpu == 0 && park_has_lone(&lone) && !arch_stop_is_due(lone))
        stop_hear();
}

/*
 * An unexplained NMI may be the line's, whose bytes an earlier NMI or a stop has just read. So this
 * stays the handler after the debugger has left: in the NMI in which it leaves, and in that which
 * waits for this one's end.
 */
static void stop_unexplained(struct regs *regs)
{
    if (percpu_self()->cpu != 0 || arch_clock_ns() - heard > LINGER_NS)
        trap_fatal(regs);
}

void stop_line_attach(bool attach)
{
    static bool attached; /* changed with all other CPUs parked */
    struct nmi_clock listening = {.came = stop_listens};

    if (attach == attached)
        return;
    attached = attach;
    if (attach)
        clock = nmi_clock_now();
    listening.serve = clock.serve;
    nmi_set_clock(attach ? &listening : &clock);
    rendezvous_set_meanwhile(attach ? stop_hear_parked : NULL);
    trap_set_handler(VECTOR_NMI, stop_unexplained);
}
