/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A single step over a watched access: two causes in one trap. Not for QEMU, which raises two
 * traps, the second at the entry of the first, on the same IST page, so that it overwrites the
 * first one's frame (docs/breakpoints.md, Machines).
 */
#include "arch/cpu.h"
#include "arch/step.h"
#include "arch/x86_64/debug/debugreg.h"
#include "tests/kernel/ktap.h"
#include "tests/kernel/watch.h"

/* tests/kernel/step.asm: nop, store, nop, and three more at the end */
void step_through_store(volatile uint32_t *to);

static volatile uint32_t word;
static uint64_t steps;

static void count_step(struct regs *regs)
{
    (void)regs;
    steps++;
}

static void debugreg_both_claims(void)
{
    struct watch watch;
    uint64_t irq;

    if (!watch_arm(&watch, &word, 4, ARCH_WRITE))
        return;
    irq = arch_irq_save();
    arch_step_set_handlers(count_step, NULL);
    steps = 0;
    step_through_store(&word);
    arch_step_set_handlers(NULL, NULL);
    arch_irq_restore(irq);
    ktap_equal(watch_disarm(&watch), 1, "a watch hit by a stepped instruction is told once");
    ktap_equal(steps, 3 + 3, "... and the step is told as well");
}

KTAP_SUITE(debugreg_both, "a single step over a watched access");
