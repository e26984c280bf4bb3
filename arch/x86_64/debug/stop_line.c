/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The debugger's line: it reaches the boot CPU as an NMI, which asks the debugger what has been
 * said before it asks the NMI clock. A CPU that is to stop is asked as by any other CPU. In NMIs.
 */
#include "arch/cpu.h"
#include "arch/debugger.h"
#include "arch/x86_64/cpu/park.h"
#include "arch/x86_64/cpu/percpu.h"
#include "arch/x86_64/cpu/stand.h"
#include "arch/x86_64/debug/stop.h"
#include "arch/x86_64/entry/nmi.h"
#include "arch/x86_64/entry/trap.h"
#include "arch/x86_64/entry/vectors.h"

#define LINGER_NS 1000000000ull /* an NMI of the debugger's line may come so late */

static struct nmi_clock clock; /* without the debugger's question; changed with all CPUs parked */
/* [boot CPU; any in a stop] arch_clock_ns: when the debugger's line may last have raised an NMI */
static uint64_t heard;

void stop_line_was_read(void)
{
    heard = arch_clock_ns();
}

/*
 * To stop is for this CPU, or for the one that runs while this one and all others stand still. It
 * may stop meanwhile, and the debugger leave.
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
        stand_ask(arch_cpu_id(), STAND_STOP);
}

/* Before the clock is asked whether the NMI was its. */
static bool stop_listens(void)
{
    stop_hear();
    return clock.came && clock.came();
}

/* In a parked CPU: where it is the boot CPU, the line's NMI has to wait until it resumes. */
static void stop_hear_parked(void)
{
    unsigned lone;

    if (percpu_self()->cpu == 0 && park_has_lone(&lone) && !arch_stop_is_due(lone))
        stop_hear();
}

/* An NMI that nothing explains: it is the line's, and an NMI before it has taken its bytes. */
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
    else
        nmi_clock_lingers(); /* one of the line's may be on its way */
    listening.serve = clock.serve;
    nmi_set_clock(attach ? &listening : &clock);
    stand_set_meanwhile(attach ? stop_hear_parked : NULL);
    trap_set_handler(VECTOR_NMI, attach ? stop_unexplained : NULL);
}
