/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the CPUs of another kernel reach each other (arch/x86_64/smp/rendezvous.h): it interrupts all
 * others, and those that are asked to wait do so in pitot_stand. The interrupt can be masked, so
 * none comes in a hit. Contexts: rendezvous.h; pitot_stand in an interrupt.
 */

#include "arch/cpu.h"
#include "arch/embed.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/smp/rendezvous.h"
#include "core/host.h"

/* [owning CPU] */
static const char *gate_wrong[ARCH_CPUS_MAX]; /* why its debug traps miss Pitot */
static bool frameless[ARCH_CPUS_MAX];         /* pitot_stand was not given its frame */

/* What a CPU asks of itself is served at the end of its debug trap, or in a later interrupt. */
void reach_send(unsigned cpu)
{
    uint64_t flags = arch_irq_save();

    if (cpu != arch_cpu_id()) {
        __atomic_fetch_add(&percpu[cpu].nmi_sent, 1, __ATOMIC_RELEASE);
        host.interrupt_others();
    }
    arch_irq_restore(flags);
}

/* First, as CPUs that share an IDT would read the gate while another writes it. */
void reach_begins(void)
{
    gate_wrong[arch_cpu_id()] = arch_embed_gate_take();
}

bool reach_waits(uint64_t flags)
{
    if (!(flags & FLAGS_INTERRUPT))
        return false;
    arch_irq_restore(flags);
    arch_relax();
    arch_irq_save();
    return true;
}

void reach_resumes(void)
{
}

/* --- No CPU stops the others for a report, or halts them. --- */

uint64_t rendezvous_lost_ns(void)
{
    return 0;
}

_Noreturn void arch_halt(void)
{
    host_panic("Pitot: a CPU is asked to halt");
}

/* --- For the kernel. --- */

void pitot_stand(void *frame)
{
    struct percpu *self = percpu_self();

    __atomic_store_n(&self->nmi_seen, __atomic_load_n(&self->nmi_sent, __ATOMIC_ACQUIRE),
                     __ATOMIC_RELEASE);
    if (!__atomic_load_n(&self->rendezvous_asked, __ATOMIC_ACQUIRE)) /* it has come too late */
        return;
    gate_wrong[self->cpu] = arch_embed_gate_take();
    frameless[self->cpu] = host.frame && (!frame || !arch_embed_is_frame(frame));
    arch_embed_as_trap(frameless[self->cpu] ? NULL : frame, rendezvous_serve);
}

const char *arch_embed_frames_wrong(unsigned *cpu)
{
    for (*cpu = 0; *cpu < arch_cpus(); ++*cpu)
        if (frameless[*cpu])
            return "pitot_stand is not given the frame of its interrupt";
    return NULL;
}

const char *arch_embed_try_cpus(unsigned *cpu)
{
    if (!arch_cpus_park(cpu))
        return "it does not answer interrupt_others by pitot_stand";
    arch_cpus_release();
    for (*cpu = 0; *cpu < arch_cpus(); ++*cpu)
        if (gate_wrong[*cpu])
            return gate_wrong[*cpu];
    return NULL;
}
