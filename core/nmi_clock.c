/* SPDX-License-Identifier: BSD-2-Clause */
/* See nmi_clock.h. */
#include "core/nmi_clock.h"

#include "arch/arch.h"
#include "core/cpus.h"

static void (*clock_set_rate)(unsigned hertz); /* NULL: there is no clock; set at boot */
static const char *missing = "it was not looked for";

static struct nmi_clock_user *first; /* those who ever used it; changed with all CPUs parked */
static unsigned rate;                /* task context */

void nmi_clock_start(void (*set_rate)(unsigned hertz))
{
    clock_set_rate = set_rate;
}

void nmi_clock_missing(const char *why)
{
    missing = why;
}

const char *nmi_clock_problem(void)
{
    return clock_set_rate ? NULL : missing;
}

static bool nmi_clock_knows(const struct nmi_clock_user *user)
{
    const struct nmi_clock_user *known = first;

    while (known && known != user)
        known = known->next;
    return known;
}

static void nmi_clock_add(struct nmi_clock_user *user)
{
    cpus_park_surely();
    user->next = first;
    first = user;
    cpus_release();
}

void nmi_clock_use(struct nmi_clock_user *user, unsigned hertz)
{
    unsigned quickest = 0;

    if (!clock_set_rate)
        return;
    if (!nmi_clock_knows(user))
        nmi_clock_add(user);
    user->hertz = hertz;
    for (const struct nmi_clock_user *other = first; other; other = other->next)
        if (other->hertz > quickest)
            quickest = other->hertz;
    if (quickest == rate)
        return;
    rate = quickest;
    cpus_park_surely(); /* or the CPU that it comes to may be serving it */
    clock_set_rate(rate);
    cpus_release();
}

void nmi_clock_interrupt(const struct regs *regs)
{
    for (const struct nmi_clock_user *user = first; user; user = user->next)
        if (user->hertz > 0)
            user->serve(regs);
}
