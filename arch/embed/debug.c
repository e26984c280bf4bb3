/* SPDX-License-Identifier: BSD-2-Clause */
/* Debug traps in another kernel; replaces arch/x86_64/entry. Watches are off in all of them. */
#include "arch/cpu.h"
#include "arch/embed.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/entry/trap.h"
#include "core/host.h"

#define RING_OF_SELECTOR 3

_Static_assert(sizeof(struct pitot_regs) == sizeof(struct regs) &&
                   offsetof(struct pitot_regs, ip) == offsetof(struct regs, ip) &&
                   offsetof(struct pitot_regs, ax) == offsetof(struct regs, ax),
               "core/pitot.h has the same registers");

/* The kernel's selectors become Pitot's, which only distinguish a program from the kernel. */
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

/* Watches are off. A nested trap, for example in an NMI handler, leaves DR7 unchanged. */
static bool serve(struct pitot_regs *with)
{
    struct percpu *self = percpu_self();
    struct regs regs;
    uint64_t dr6;
    bool ours;

    self->watch_depth++;
    dr6 = cpu_read_dr6(); /* the kernel's own traps leave DR6 unchanged */
    ours = dr6 & percpu_live() || (dr6 & DR6_BS && self->steps); /* a hit, or a debugger's step */
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
 * Of this code, only this function runs, and only its last loads read, with watches armed. The
 * handler may have armed other watches, so DR7 comes from the shadow.
 */
__attribute__((section(".text.nowatch"))) int pitot_debug_trap(struct pitot_regs *regs)
{
    const struct percpu *self;
    bool ours;

    if (!percpu[0].self) /* before pitot_init */
        return 0;
    cpu_write_dr7(DR7_OFF);
    ours = serve(regs);
    self = percpu_self();
    if (self->watch_depth == 0)
        cpu_write_dr7(self->dr7);
    return ours;
}

/* --- In place of the entries of arch/x86_64. --- */

/* No trap interrupts a stub here. */
const char trap_stubs[1];

/* Never called: no program's trap is moved. */
struct regs *trap_land(struct regs *frame)
{
    return frame;
}

_Noreturn void trap_fatal(struct regs *regs)
{
    (void)regs;
    host_panic("Pitot: a debug trap that nothing explains");
}
