/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See debugreg.h and arch/watch.h. Registers are equal on all CPUs except for deselected watches.
 */
#include "arch/x86_64/debug/debugreg.h"

#include "arch/cpu.h"
#include "arch/local.h"
#include "arch/snapshot.h"
#include "arch/step.h"
#include "arch/x86_64/cpu/cpu.h"

struct debugreg debugreg = {.dr7 = DR7_OFF};

static bool step_excludes;             /* arch_step_excludes_watches; set at boot */
static uint64_t wanted[ARCH_CPUS_MAX]; /* DR7 without the deselected registers. [owning CPU] */
/* Bit i: watch i is deselected. [owning CPU; others while it is parked] */
static unsigned deselected[ARCH_CPUS_MAX];

void debugreg_init(void)
{
    step_excludes = arch_step_excludes_watches();
}

static uint64_t watch_without_data(uint64_t dr7)
{
    for (unsigned i = 0; i < ARCH_WATCHES; i++)
        if (dr7 & DR7_RW(i, 3)) /* 0 is ARCH_EXECUTE */
            dr7 &= ~DR7_GLOBAL(i);
    return dr7;
}

static uint64_t watch_without(uint64_t dr7, unsigned watches)
{
    for (unsigned i = 0; i < ARCH_WATCHES; i++)
        if (watches & (1u << i))
            dr7 &= ~DR7_GLOBAL(i);
    return dr7;
}

/* Writes the shadow first, as an NMI loads DR7 from it. Stepping may begin or end in here. */
static void watch_apply(uint64_t dr7)
{
    struct percpu *self = percpu_self();
    uint64_t full = watch_without(dr7, deselected[self->cpu]);
    bool steps;

    local_store(&self->live, debugreg.armed & ~deselected[self->cpu]);
    local_store(&self->dr7_full, full);
    local_store(&self->dr7_step, step_excludes ? watch_without_data(full) : full);
    do {
        steps = *(volatile bool *)&self->steps;
        dr7 = steps ? self->dr7_step : full;
        local_store(&self->dr7, dr7);
        if (self->watch_depth == 0)
            cpu_write_dr7(dr7);
    } while (steps != *(volatile bool *)&self->steps);
}

void debugreg_step(unsigned cpu)
{
    percpu[cpu].steps = true;
    local_store(&percpu[cpu].dr7, percpu[cpu].dr7_step);
}

void debugreg_step_over(unsigned cpu)
{
    percpu[cpu].steps = false;
    local_store(&percpu[cpu].dr7, percpu[cpu].dr7_full);
}

bool debugreg_is_stepped(unsigned cpu, const struct regs *regs)
{
    return regs->flags & FLAGS_TRAP && (!regs_user_mode(regs) || percpu[cpu].program_steps);
}

static void watch_load_dr7(uint64_t dr7)
{
    local_store(&wanted[arch_cpu_id()], dr7);
    watch_apply(dr7);
}

void arch_watch_disarm(void)
{
    watch_load_dr7(DR7_OFF);
}

/* Applies the watches again if this CPU was parked meanwhile and got other watches. */
static void watch_apply_again(unsigned cpu)
{
    uint64_t dr7;

    do {
        dr7 = local_load(&wanted[cpu]);
        watch_apply(dr7);
    } while (local_load(&wanted[cpu]) != dr7);
}

void arch_watch_select(unsigned cpu, unsigned watches)
{
    unsigned before = deselected[cpu];

    deselected[cpu] = ~watches;
    if (cpu == arch_cpu_id() && before != deselected[cpu])
        watch_apply_again(cpu);
}

static void watch_load_addresses(const struct arch_watch *watches)
{
    cpu_write_dr0(watches[0].address);
    cpu_write_dr1(watches[1].address);
    cpu_write_dr2(watches[2].address);
    cpu_write_dr3(watches[3].address);
}

void debugreg_load(void)
{
    watch_load_addresses(debugreg.watches);
    local_barrier(); /* what debug_trap reads is complete before the first hit */
    watch_load_dr7(debugreg.dr7);
}

void arch_watch_arm(const struct arch_watch *watches, unsigned count)
{
    arch_check(count <= ARCH_WATCHES);
    local_increment(&debugreg.changes);
    debugreg.armed = (1u << count) - 1;
    debugreg.executes = 0;
    for (unsigned i = 0; i < count; i++) {
        debugreg.watches[i] = watches[i];
        if (watches[i].access == ARCH_EXECUTE)
            debugreg.executes |= 1u << i;
    }
    debugreg.dr7 = count ? debugreg_encode(watches, count) : DR7_OFF;
    debugreg_load();
}

/* Writes this CPU's registers again. Interrupts off. */
static void debugreg_mend(void)
{
    watch_load_addresses(debugreg.watches);
    watch_apply_again(arch_cpu_id());
}

unsigned arch_watches(unsigned cpu)
{
    uint64_t dr7 = local_load(&percpu[cpu].dr7);
    unsigned count = 0;

    for (unsigned i = 0; i < ARCH_WATCHES; i++)
        count += (dr7 & DR7_GLOBAL(i)) != 0;
    return count;
}

/*
 * --- Checks that watches are armed, as one that is off goes unnoticed. Only steps may turn them
 * off. ---
 */

/* The bits that arm watches; others read back differently between machines. */
#define DR7_ARMS 0xffff00aaull

static bool shadow_is_right(const struct percpu *there, bool steps)
{
    return there->steps == steps && there->dr7 == (steps ? there->dr7_step : there->dr7_full);
}

/* While no watch is armed, what a kernel does with the registers is its own affair. */
static bool registers_are_right(void)
{
    const uint64_t address[ARCH_WATCHES] = {cpu_read_dr0(), cpu_read_dr1(), cpu_read_dr2(),
                                            cpu_read_dr3()};

    if (!debugreg.armed)
        return true;
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
