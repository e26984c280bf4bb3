/* SPDX-License-Identifier: BSD-2-Clause */
/* The NMI clock of source_clock.h. */
#include "core/event/source_clock.h"

#include "arch/cpu.h"
#include "arch/regs.h"
#include "core/lib/cpus.h"
#include "core/pitot.h"

static void (*clock_set_rate)(unsigned hertz);  /* set at boot; NULL: no clock */
static void (*clock_slow_down)(unsigned hertz); /* set at boot */
static const char *missing = "no search was made for an NMI clock";

static struct nmi_clock_user *first; /* [all CPUs parked] all users so far */
static unsigned rate;                /* [all CPUs parked; the boot CPU in the clock's NMI] */

void nmi_clock_start(void (*set_rate)(unsigned hertz), void (*slow_down)(unsigned hertz))
{
    clock_set_rate = set_rate;
    clock_slow_down = slow_down;
}

void nmi_clock_missing(const char *why)
{
    missing = why;
}

const char *nmi_clock_problem(void)
{
    return clock_set_rate ? NULL : missing;
}

static unsigned nmi_clock_quickest(void)
{
    unsigned quickest = 0;

    for (const struct nmi_clock_user *user = first; user; user = user->next) {
        unsigned hertz = __atomic_load_n(&user->hertz, __ATOMIC_RELAXED);

        if (hertz > quickest)
            quickest = hertz;
    }
    return quickest;
}

/* Parks the CPUs, since one of them may be serving this user. */
void nmi_clock_use(struct nmi_clock_user *user, unsigned hertz)
{
    const struct nmi_clock_user *known;
    unsigned quickest;

    if (!clock_set_rate)
        return;
    cpus_park_surely();
    for (known = first; known && known != user;)
        known = known->next;
    if (!known) {
        user->next = first;
        first = user;
    }
    __atomic_store_n(&user->hertz, hertz, __ATOMIC_RELAXED);
    quickest = nmi_clock_quickest();
    if (quickest != rate)
        clock_set_rate(quickest);
    rate = quickest;
    cpus_release();
}

static void (*kernel_serves)(const void *frame, unsigned long now); /* set once */

static void serve_kernel(const struct regs *regs, uint64_t began)
{
    kernel_serves(regs, began);
}

const char *pitot_nmi_clock(void (*serve)(const void *frame, unsigned long now), unsigned hertz)
{
    static struct nmi_clock_user user = {.serve = serve_kernel};

    kernel_serves = serve;
    nmi_clock_use(&user, hertz);
    return nmi_clock_problem();
}

/* If several CPUs call at once, the lowest rate wins. */
void nmi_clock_slow_down(struct nmi_clock_user *user, unsigned hertz)
{
    unsigned before = __atomic_load_n(&user->hertz, __ATOMIC_RELAXED);

    while (before > hertz && !__atomic_compare_exchange_n(&user->hertz, &before, hertz, true,
                                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

void nmi_clock_interrupt(const struct regs *regs, uint64_t began)
{
    unsigned quickest;

    for (const struct nmi_clock_user *user = first; user; user = user->next)
        if (__atomic_load_n(&user->hertz, __ATOMIC_RELAXED) > 0)
            user->serve(regs, began);
    if (arch_cpu_id() != 0)
        return;
    quickest = nmi_clock_quickest(); /* the boot CPU receives the clock's own signal */
    if (quickest < rate && quickest > 0)
        clock_slow_down(rate = quickest);
}
