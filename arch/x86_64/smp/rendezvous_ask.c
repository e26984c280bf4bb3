/* SPDX-License-Identifier: BSD-2-Clause */
/* See rendezvous.h: the requesting side. */
#include "arch/cpu.h"
#include "arch/x86_64/cpu/check.h"
#include "arch/x86_64/smp/patience.h"
#include "arch/x86_64/smp/reach.h"
#include "arch/x86_64/smp/rendezvous.h"

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
