/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See watchdog.h. Each CPU checks itself in the NMI clock (core/event/source_nmi_clock.h), so a
 * check costs other CPUs nothing.
 */
#include "kernel/panic/watchdog.h"

#include "arch/cpu.h"
#include "arch/regs.h"
#include "arch/stop.h"
#include "core/event/source_nmi_clock.h"
#include "core/lib/print.h"
#include "kernel/cmdline.h"
#include "kernel/panic/watchdog_report.h"
#include "kernel/time/ticks.h"

#define SECONDS_MOST 3600
#define LOOK_HERTZ   10
#define LOOK_NS      (1000000000ull / LOOK_HERTZ)
#define TOGETHER_NS  (3 * LOOK_NS)

/* Checks without progress before a report; a stopped or parked CPU serves its interrupts sooner. */
#define LOOKS_LEAST 4

/* Each CPU's view of itself. [owning CPU; a stall's reporter while all others stand still] */
static struct {
    uint64_t served; /* ticks_served at the last check */
    uint64_t since;  /* arch_clock_ns when `served` last changed */
    uint64_t looked;
    unsigned looks; /* checks since then */
    bool reported;
} watched[ARCH_CPUS_MAX];

static uint64_t limit;   /* ns; set at boot */
static bool is_reported; /* [A] a report is being made */

static bool is_stalled(unsigned cpu, uint64_t now, uint64_t nanoseconds)
{
    return !watched[cpu].reported && watched[cpu].looks >= LOOKS_LEAST &&
           ticks_served(cpu) == watched[cpu].served && now - watched[cpu].since >= nanoseconds;
}

/*
 * Reports all stalled CPUs together, also those that would notice a few checks later. The time of
 * the report does not count as a stall.
 */
static void report(const struct regs *regs, uint64_t now)
{
    struct watchdog_stalls stalls = {.regs = regs};

    arch_cpus_rendezvous();
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (arch_cpu_runs(cpu) && is_stalled(cpu, now, limit - TOGETHER_NS)) {
            stalls.ns[cpu] = now - watched[cpu].since;
            watched[cpu].reported = true;
        }
    watchdog_report(&stalls);
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        watched[cpu].looks = 0;
    arch_cpus_go();
}

static void watchdog_look(const struct regs *regs, uint64_t now)
{
    unsigned cpu = arch_cpu_id();
    uint64_t served = ticks_served(cpu);

    if (now - watched[cpu].looked < LOOK_NS)
        return;
    watched[cpu].looked = now;
    watched[cpu].looks++;
    if (served != watched[cpu].served) {
        watched[cpu].served = served;
        watched[cpu].since = now;
        watched[cpu].looks = 0;
        watched[cpu].reported = false;
    }
    if (is_stalled(cpu, now, limit) && !__atomic_exchange_n(&is_reported, true, __ATOMIC_ACQUIRE)) {
        report(regs, now);
        __atomic_store_n(&is_reported, false, __ATOMIC_RELEASE);
    }
}

static int read_seconds(uint64_t *seconds, struct refusal *why)
{
    int error = cmdline_number("watchdog", seconds, why);

    if (!error && (*seconds == 0 || *seconds > SECONDS_MOST))
        return refuse(why, ERANGE, "watchdog=%llu: 1 to %d seconds are allowed",
                      (unsigned long long)*seconds, SECONDS_MOST);
    return error;
}

void watchdog_init(void)
{
    static struct nmi_clock_user user = {.serve = watchdog_look};
    uint64_t seconds;
    struct refusal why;
    int error = read_seconds(&seconds, &why);

    if (error == -ENOENT)
        return;
    if (error) {
        print("watchdog: %s\n", why.text);
        return;
    }
    if (nmi_clock_problem()) {
        print("watchdog: off, as this machine has no clock that sends NMIs: %s\n",
              nmi_clock_problem());
        return;
    }
    limit = seconds * 1000000000;
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        watched[cpu].since = arch_clock_ns();
    nmi_clock_use(&user, LOOK_HERTZ);
}
