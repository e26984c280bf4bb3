/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See rendezvous.h: the waiting side, then the requesting side. While a debug trap waits for its
 * turn to stop, a report's NMI may interrupt it and wait, too: the outer wait owns the registers,
 * which a debugger may change, and the inner wait removes only the reasons that it added.
 */
#include "arch/x86_64/smp/rendezvous.h"

#include "arch/cpu.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/smp/patience.h"

static void (*stop_handler)(struct regs *regs); /* changed with all CPUs parked */
static void (*meanwhile)(void);                 /* [A] by the parker; NULL: nothing to do */

void rendezvous_set_stop(void (*stop)(struct regs *regs))
{
    stop_handler = stop;
}

void rendezvous_set_meanwhile(void (*serve)(void))
{
    __atomic_store_n(&meanwhile, serve, __ATOMIC_RELAXED);
}

struct regs *arch_stopped_regs(unsigned cpu)
{
    return __atomic_load_n(&percpu[cpu].stopped_regs, __ATOMIC_ACQUIRE);
}

static void stands_at(struct percpu *self, struct regs *regs)
{
    __atomic_store_n(&self->stopped_regs, regs, __ATOMIC_RELEASE);
}

static void stands_for(struct percpu *self, uint32_t reasons)
{
    __atomic_store_n(&self->stands, reasons, __ATOMIC_RELEASE);
}

static void pass_time(uint32_t reasons)
{
    void (*serve)(void) = __atomic_load_n(&meanwhile, __ATOMIC_RELAXED);

    if (reasons & RENDEZVOUS_PARK && serve)
        serve();
    arch_relax();
}

/* P pairs with let_go: after the load the parker's changes are visible. */
void rendezvous_wait(struct regs *regs, uint32_t serves, uint32_t asked)
{
    struct percpu *self = percpu_self();
    bool first = !self->stopped_regs;
    uint32_t under = self->stands, now;

    arch_check(arch_trap_depth() > 0 && !(under & serves & RENDEZVOUS_PARK));
    if (first)
        stands_at(self, regs);
    for (; asked; asked = now) {
        if (asked & RENDEZVOUS_HALT) {
            stands_for(self, RENDEZVOUS_HALT);
            arch_halt();
        }
        stands_for(self, under | asked);
        while ((now = __atomic_load_n(&self->rendezvous_asked, __ATOMIC_ACQUIRE) & serves) == asked)
            pass_time(asked);
        if ((asked ^ now) & RENDEZVOUS_PARK && asked & RENDEZVOUS_PARK &&
            !(now & RENDEZVOUS_HALT)) { /* before the parker sees that this CPU resumes */
            debugreg_load();
            reach_resumes();
        }
    }
    if (first)
        stands_at(self, NULL);
    stands_for(self, under);
}

void rendezvous_enter_stop(struct regs *regs)
{
    struct percpu *self = percpu_self();

    stands_at(self, regs);
    stands_for(self, self->stands | RENDEZVOUS_STOP);
}

void rendezvous_leave_stop(void)
{
    struct percpu *self = percpu_self();

    arch_check(self->stands & RENDEZVOUS_STOP);
    stands_at(self, NULL);
    stands_for(self, self->stands & ~RENDEZVOUS_STOP);
}

/* Parkings and reports can take effect anywhere in here, if this CPU may be parked at all. */
void rendezvous_serve(struct regs *regs)
{
    struct percpu *self = percpu_self();
    uint32_t asked = __atomic_load_n(&self->rendezvous_asked, __ATOMIC_ACQUIRE),
             serves = RENDEZVOUS_REPORT;

    if (!asked)
        return;
    serves &= ~self->stands; /* the interrupted handler serves the removed reasons */
    if (!(asked & RENDEZVOUS_HALTS))
        serves |= RENDEZVOUS_HALT | (park_may(regs) ? RENDEZVOUS_PARK : 0);
    if (asked & serves)
        rendezvous_wait(regs, serves, asked & serves);
    if (rendezvous_is_asked(self->cpu, RENDEZVOUS_STOP) && stop_handler)
        stop_handler(regs);
}

/* --- The requesting side. --- */

#define AGAIN_NS 20000ull     /* until the next NMI to a CPU that could not stop, ... */
#define LOST_NS  100000000ull /* ... or that seems to have received none */

void rendezvous_ask(unsigned cpu, uint32_t reason)
{
    __atomic_fetch_or(&percpu[cpu].rendezvous_asked, reason, __ATOMIC_RELEASE);
}

bool rendezvous_ask_no_more(unsigned cpu, uint32_t reason)
{
    return reason & __atomic_fetch_and(&percpu[cpu].rendezvous_asked, ~reason, __ATOMIC_RELEASE);
}

bool rendezvous_is_asked(unsigned cpu, uint32_t reason)
{
    return __atomic_load_n(&percpu[cpu].rendezvous_asked, __ATOMIC_RELAXED) & reason;
}

bool rendezvous_ask_number(unsigned cpu, uint32_t from, uint32_t to)
{
    uint32_t *word = &percpu[cpu].rendezvous_asked;
    uint32_t asked = __atomic_load_n(word, __ATOMIC_RELAXED);

    arch_check(!((from | to) & ~RENDEZVOUS_PARK));
    do
        if ((asked & RENDEZVOUS_PARK) != from || asked & RENDEZVOUS_HALT)
            return false;
    while (!__atomic_compare_exchange_n(word, &asked, (asked & ~RENDEZVOUS_PARK) | to, false,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    return true;
}

uint32_t rendezvous_reasons(unsigned cpu)
{
    return __atomic_load_n(&percpu[cpu].stands, __ATOMIC_ACQUIRE);
}

bool rendezvous_all_others(uint32_t reasons, uint32_t exactly, unsigned *one)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (cpu != arch_cpu_id() && arch_cpu_runs(cpu) &&
            (rendezvous_reasons(cpu) & reasons) != exactly) {
            *one = cpu;
            return false;
        }
    return true;
}

static bool has_had_its_nmis(unsigned cpu)
{
    return __atomic_load_n(&percpu[cpu].nmi_seen, __ATOMIC_ACQUIRE) ==
           __atomic_load_n(&percpu[cpu].nmi_sent, __ATOMIC_RELAXED);
}

/* Leaves out the time of reports, in which no CPU can answer. */
static uint64_t patience_clock(void)
{
    return arch_clock_ns() - rendezvous_lost_ns();
}

bool rendezvous_await(uint32_t reasons, uint32_t exactly, uint64_t limit, unsigned *absent)
{
    uint64_t asked = patience_clock(), now;
    struct patience patience;

    patience_begin(&patience, limit, asked);
    while (!rendezvous_all_others(reasons, exactly, absent)) {
        now = patience_clock();
        if (patience_is_over(&patience, now))
            return false;
        if (now - asked > (has_had_its_nmis(*absent) ? AGAIN_NS : LOST_NS)) {
            reach_send(*absent);
            asked = now;
        }
        arch_relax();
    }
    return true;
}
