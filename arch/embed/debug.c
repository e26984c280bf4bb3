/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debug traps that arrive through another kernel's gate; replaces arch/x86_64/entry. Separates them
 * from that kernel's own debug traps, and keeps watches off while a trap is served; the outermost
 * trap turns them on again. The symbols of trap entries that arch/x86_64/debug needs are stubs
 * here.
 */
#include "arch/cpu.h"
#include "arch/embed.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/entry/trap.h"
#include "core/pitot.h"

#define RING_OF_SELECTOR 3

_Static_assert(sizeof(struct pitot_regs) == sizeof(struct regs) &&
                   offsetof(struct pitot_regs, ip) == offsetof(struct regs, ip) &&
                   offsetof(struct pitot_regs, ax) == offsetof(struct regs, ax),
               "core/pitot.h has the same registers");

/* The kernel chooses its own selectors; here they only distinguish a program from the kernel. */
struct regs arch_embed_regs(const struct pitot_regs *from)
{
    struct regs regs;

    __builtin_memcpy(&regs, from, sizeof(regs));
    regs.cs = regs.cs & RING_OF_SELECTOR ? USER_CODE_SELECTOR : KERNEL_CODE_SELECTOR;
    return regs;
}

void arch_embed_regs_return(const struct regs *from, struct pitot_regs *to)
{
    unsigned long long cs = to->cs;

    __builtin_memcpy(to, from, sizeof(*to));
    to->cs = cs;
}

void (*embed_debug_late)(struct regs *regs);

/* A hit, or the single step that a debugger requested. */
static bool is_ours(const struct percpu *self, uint64_t dr6)
{
    return dr6 & percpu_live() || (dr6 & DR6_BS && self->steps);
}

/*
 * Runs with watches off. A trap inside this one, for example in an NMI handler, leaves DR7
 * unchanged.
 */
static bool serve(struct pitot_regs *with)
{
    struct percpu *self = percpu_self();
    struct regs regs;
    bool ours;

    self->watch_depth++;
    ours = is_ours(self, cpu_read_dr6()); /* a trap of the kernel's own leaves DR6 unchanged */
    if (ours) {
        regs = arch_embed_regs(with);
        debug_trap_inside(&regs);
        with->flags = regs.flags;
    }
    if (ours && embed_debug_late) {
        embed_debug_late(&regs);
        arch_embed_regs_return(&regs, with);
    }
    self->watch_depth--;
    return ours;
}

/*
 * Only this function and the data it loads at its end may not be watched: everything else runs
 * while watches are off. DR7 is loaded from the shadow, as the handler may have armed other
 * watches.
 */
__attribute__((section(".text.nowatch"))) int pitot_debug_trap(struct pitot_regs *regs)
{
    const struct percpu *self;
    bool ours;

    cpu_write_dr7(DR7_OFF);
    ours = serve(regs);
    self = percpu_self();
    if (self->watch_depth == 0)
        cpu_write_dr7(self->dr7);
    return ours;
}

/* --- Stubs for the symbols of the entries of arch/x86_64. --- */

/* Never interrupted by a trap. */
const char trap_stubs[1];

/* Never needed: no step is requested and no program's trap is moved. */
struct regs *trap_land(struct regs *frame)
{
    return frame;
}

_Noreturn void trap_fatal(struct regs *regs)
{
    (void)regs;
    pitot_host_panic("Pitot: a debug trap that nothing explains");
}
