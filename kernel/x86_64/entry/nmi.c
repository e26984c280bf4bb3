/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See nmi.h. An NMI does not identify its source, and NMIs in quick succession may merge. So the
 * sender stores a request before it sends the NMI, and each NMI checks all requests. This code may
 * not trap: the `iret` would admit the next NMI.
 */

#include "arch/cpu.h"
#include "arch/x86_64/cpu/port.h"
#include "arch/x86_64/entry/trap.h"
#include "arch/x86_64/memory/sections.h"
#include "arch/x86_64/smp/rendezvous.h"
#include "kernel/x86_64/cpu/apic.h"

#define LINGER_NS 1000000000ull /* emulated CPUs take turns of a tenth of a second */

static struct nmi_clock clock; /* set at boot */
static bool ended;             /* [A] */
static uint64_t lingers_until; /* [A] arch_clock_ns; 0: no late clock NMI is expected */

/* Serves the button's interrupt as if the button had raised an NMI. */
static void nmi_button(struct regs *regs)
{
    regs->vector = VECTOR_NMI;
    trap_nmi(regs);
    apic_end();
}

void nmi_set_clock(const struct nmi_clock *with)
{
    clock = *with;
    trap_set_handler(VECTOR_APIC_BUTTON, nmi_button);
}

struct nmi_clock nmi_clock_now(void)
{
    return clock;
}

void nmi_clock_end(void)
{
    __atomic_store_n(&ended, true, __ATOMIC_RELAXED);
}

void nmi_clock_lingers(void)
{
    __atomic_store_n(&lingers_until, arch_clock_ns() + LINGER_NS, __ATOMIC_RELAXED);
}

/* The CPU can tell this NMI from the button's. */
void reach_send(unsigned cpu)
{
    __atomic_fetch_add(&percpu[cpu].nmi_sent, 1, __ATOMIC_SEQ_CST); /* before the NMI */
    if (apic_registers())
        apic_send_nmi(percpu[cpu].apic_id);
}

void reach_begins(void)
{
}

/* NMIs always come. */
bool reach_waits(uint64_t flags)
{
    (void)flags;
    arch_relax();
    return true;
}

void reach_resumes(void)
{
    apic_button_follow();
}

/* If one NMI served several requests, the next finds none, but is not the button's either. */
static bool nmi_was_sent(struct percpu *self)
{
    uint32_t sent = __atomic_load_n(&self->nmi_sent, __ATOMIC_SEQ_CST);
    uint32_t fresh = sent - self->nmi_seen;
    bool spare = self->nmi_spare;

    __atomic_store_n(&self->nmi_seen, sent, __ATOMIC_RELEASE);
    self->nmi_spare = fresh > 1;
    return fresh > 0 || spare;
}

/* A CPU that has not served its last clock NMI gets no further one. */
static void nmi_clock_pass_on(void)
{
    for (unsigned cpu = 1; cpu < arch_cpus(); cpu++)
        if (arch_cpu_runs(cpu) &&
            !__atomic_exchange_n(&percpu[cpu].clock_asked, 1, __ATOMIC_ACQ_REL))
            reach_send(cpu);
}

/*
 * If another CPU's NMI came just before the clock's on the boot CPU, the clock's may still arrive.
 */
static bool nmi_clock_came(struct percpu *self, bool sent)
{
    if (!clock.came)
        return false;
    if (self->cpu != 0)
        return __atomic_exchange_n(&self->clock_asked, 0, __ATOMIC_ACQ_REL);
    if (!clock.came())
        return false;
    nmi_clock_pass_on();
    self->nmi_spare |= sent;
    return true;
}

static bool nmi_lingered(const struct percpu *self)
{
    return self->cpu == 0 &&
           arch_clock_ns() < __atomic_exchange_n(&lingers_until, 0, __ATOMIC_RELAXED);
}

/*
 * NMIs merge, and the clock's are frequent. So while the clock runs, the button raises an interrupt
 * instead; with interrupts off, that is pending until this check finds it.
 */
static bool nmi_button_waits(const struct percpu *self, bool timed)
{
    return timed && self->cpu == 0 && apic_button_is_pressed();
}

/* An NMI that was neither sent nor expected comes from the NMI button, which requests a report. */
UNSEEN_TEXT void nmi_trap(struct regs *regs)
{
    struct percpu *self = percpu_self();
    uint64_t began = arch_clock_ns();
    bool sent = nmi_was_sent(self), timed = nmi_clock_came(self, sent);

    if (timed && !park_is_parker() && !__atomic_load_n(&ended, __ATOMIC_RELAXED))
        clock.serve(regs, began);
    port_count_settle(regs); /* this CPU may be halted, or report */
    rendezvous_serve(regs);
    if (nmi_button_waits(self, timed) || (!sent && !timed && !nmi_lingered(self)))
        trap_nmi(regs);
}
