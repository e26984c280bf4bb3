/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A debugger's single step: one instruction by the trap flag, with interrupts held off for it, of
 * which nobody sees anything. Prepared in a stop, finished on the stepped CPU in its debug trap.
 * Sources: Intel SDM vol. 3, "Single-Step Exception Condition"; vol. 2, PUSHF, POPF, IRET, CLI,
 * STI.
 */
#include "arch/arch.h"
#include "arch/x86_64/debugreg.h"
#include "arch/x86_64/stop.h"

/* What an instruction does with the flag that interrupts are on. */
enum kind {
    KEEPS,
    STORES, /* pushf */
    LOADS,  /* popf, iret */
    CLEARS, /* cli */
    SETS,   /* sti */
    HALTS,
};

struct step {
    bool under_way;
    bool interrupts; /* they are on, but for the step */
    bool traps;      /* the context is stepped for somebody else, too */
    bool compares;   /* data watches rest: */
    enum kind kind;
    uint64_t words[ARCH_WATCHES]; /* ... what was in their words */
};

static struct step steps[ARCH_CPUS_MAX]; /* [who prepares; then the owning CPU] */

#define PREFIX_OPERAND 0x66
#define PREFIX_REX     0x40 /* to 0x4f */

/* By the bytes; those of prefixes that a compiler or a person puts before these. */
static enum kind judge(uintptr_t ip)
{
    uint8_t byte;

    while (arch_debug_read(ip, &byte, 1) == 1 &&
           (byte == PREFIX_OPERAND || (byte & 0xf0) == PREFIX_REX))
        ip++;
    if (arch_debug_read(ip, &byte, 1) == 0)
        return KEEPS; /* it will fault */
    switch (byte) {
    case 0x9c:
        return STORES;
    case 0x9d:
    case 0xcf:
        return LOADS;
    case 0xf4:
        return HALTS;
    case 0xfa:
        return CLEARS;
    case 0xfb:
        return SETS;
    default:
        return KEEPS;
    }
}

bool stop_step_prepare(unsigned cpu, struct regs *regs)
{
    struct step *step = &steps[cpu];

    *step = (struct step){.under_way = true,
                          .interrupts = regs->flags & FLAGS_INTERRUPT,
                          .traps = regs->flags & FLAGS_TRAP,
                          .kind = judge(regs->ip)};
    if (step->kind == HALTS) { /* as if it had been woken at once: nothing else would wake it */
        step->under_way = false;
        regs->ip++;
        return false;
    }
    if (arch_step_excludes_watches()) {
        step->compares = true;
        debugreg_read_data(step->words);
    }
    debugreg_step(cpu);
    regs->flags = (regs->flags & ~FLAGS_INTERRUPT) | FLAGS_TRAP;
    return true;
}

static void set_flag(uint64_t *flags, uint64_t flag, bool on)
{
    *flags = on ? *flags | flag : *flags & ~flag;
}

/* The lower half of what was pushed, in either size; maybe by a program. */
static void mend_stored(const struct step *step, const struct regs *regs)
{
    uint64_t flags;
    uint8_t stored[2];

    if (arch_debug_read(regs->sp, stored, sizeof(stored)) != sizeof(stored))
        return;
    flags = stored[0] | (uint64_t)stored[1] << 8;
    set_flag(&flags, FLAGS_INTERRUPT, step->interrupts);
    set_flag(&flags, FLAGS_TRAP, step->traps);
    stored[0] = (uint8_t)flags;
    stored[1] = (uint8_t)(flags >> 8);
    arch_debug_write(regs->sp, stored, sizeof(stored));
}

static void step_end(struct step *step, struct regs *regs)
{
    step->under_way = false;
    if (step->kind == LOADS)
        return;
    set_flag(&regs->flags, FLAGS_TRAP, step->traps);
    set_flag(&regs->flags, FLAGS_INTERRUPT,
             step->kind == SETS || (step->kind != CLEARS && step->interrupts));
}

bool stop_step_finish(struct regs *regs, unsigned *fired)
{
    struct step *step = &steps[arch_cpu_id()];

    if (!step->under_way)
        return false;
    if (step->compares)
        *fired |= debugreg_changed_data(step->words);
    if (step->kind == STORES)
        mend_stored(step, regs);
    step_end(step, regs);
    return true;
}

void stop_step_cancel(struct regs *regs)
{
    struct step *step = &steps[arch_cpu_id()];

    if (!step->under_way)
        return;
    step->kind = KEEPS;
    step_end(step, regs);
}
