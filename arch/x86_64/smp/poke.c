/* SPDX-License-Identifier: BSD-2-Clause */
/* See poke.h. Sent in any context, handled in interrupt context. */
#include "arch/x86_64/smp/poke.h"

#include "arch/cpu.h"
#include "arch/regs.h"
#include "arch/smp.h"
#include "arch/x86_64/cpu/apic.h"
#include "arch/x86_64/cpu/percpu.h"
#include "arch/x86_64/entry/trap.h"
#include "arch/x86_64/entry/vectors.h"

/* Nothing to do here: the exit of the interrupt checks for work. */
static void poked(struct regs *regs)
{
    (void)regs;
    apic_end();
}

static void spurious(struct regs *regs)
{
    (void)regs;
}

void arch_cpu_poke(unsigned cpu)
{
    apic_send(percpu[cpu].apic_id, VECTOR_APIC_POKE);
}

void poke_init(void)
{
    trap_set_handler(VECTOR_APIC_POKE, poked);
    trap_set_handler(VECTOR_APIC_SPURIOUS, spurious);
}
