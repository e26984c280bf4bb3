/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that watches are armed, as one that is off goes unnoticed. Only steps may turn them off.
 */
#include "arch/cpu.h"
#include "arch/local.h"
#include "arch/park.h"
#include "arch/regs.h"
#include "arch/snapshot.h"
#include "arch/watch.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/debug/debugreg.h"

/* The bits that arm watches; others read back differently between machines. */
#define DR7_ARMS 0xffff00aaull

static bool shadow_is_right(const struct percpu *there, bool steps)
{
    return there->steps == steps && there->dr7 == (steps ? there->dr7_step : there->dr7_full);
}

static bool registers_are_right(void)
{
    const uint64_t address[ARCH_WATCHES] = {cpu_read_dr0(), cpu_read_dr1(), cpu_read_dr2(),
                                            cpu_read_dr3()};

    if ((cpu_read_dr7() ^ percpu_self()->dr7) & DR7_ARMS)
        return false;
    for (unsigned i = 0; i < ARCH_WATCHES; i++)
        if (debugreg.armed & 1u << i && address[i] != debugreg.watches[i].address)
            return false;
    return true;
}

static bool is_stepped(void)
{
    return arch_flags() & FLAGS_TRAP;
}

/*
 * An NMI that parks this CPU may change the registers; they are then read again. This code may be
 * stepped, and the stepping may begin or end inside it: then the values mean nothing, but each
 * step's trap reloads DR7, and the next tick's audit reads the addresses.
 */
static bool audit_here(void)
{
    bool stepped, right;
    uint64_t before;

    do {
        before = local_load(&debugreg.changes);
        stepped = is_stepped();
        right = shadow_is_right(percpu_self(), false) && registers_are_right();
        stepped |= is_stepped();
    } while (local_load(&debugreg.changes) != before);
    if (right || stepped)
        return true;
    percpu_self()->steps = false;
    debugreg_mend();
    return false;
}

/* A trap flag of a program is a step only if a debugger has set it. */
bool arch_watch_audit(unsigned cpu)
{
    const struct regs *regs = arch_stopped_regs(cpu);
    bool steps = regs && regs->flags & FLAGS_TRAP;

    if (cpu == arch_cpu_id())
        return audit_here();
    if (!regs || (steps && regs_user_mode(regs)) || shadow_is_right(&percpu[cpu], steps))
        return true;
    percpu[cpu].steps = steps; /* the CPU loads its registers when it resumes */
    return false;
}
