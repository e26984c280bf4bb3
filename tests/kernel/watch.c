/* SPDX-License-Identifier: BSD-2-Clause */
/* See watch.h. */
#include "tests/kernel/watch.h"

#include "tests/kernel/ktap.h"

static void watch_hit(struct breakpoint *breakpoint, uintptr_t address, struct regs *regs)
{
    struct watch *watch = (struct watch *)breakpoint;

    watch->hits++;
    watch->ip = regs->ip;
    watch->address = address;
}

static void watch_init(struct watch *watch, const volatile void *address, size_t length,
                       enum arch_access access)
{
    *watch = (struct watch){.breakpoint = {.address = (uintptr_t)address,
                                           .length = length,
                                           .access = access,
                                           .owner = "suite",
                                           .hit = watch_hit}};
}

bool watch_arm(struct watch *watch, const volatile void *address, size_t length,
               enum arch_access access)
{
    struct refusal why = {""};

    watch_init(watch, address, length, access);
    if (breakpoint_install(&watch->breakpoint, &why) == 0)
        return true;
    return ktap_ok(false, "a breakpoint at %p/%zu can be set: %s", (const void *)(uintptr_t)address,
                   length, why.text);
}

bool watch_try(struct watch *watch, const struct breakpoint_target *target, uintptr_t address,
               size_t length, enum arch_access access)
{
    struct refusal why = {""};

    watch_init(watch, (const volatile void *)address, length, access);
    watch->breakpoint.target = *target;
    return breakpoint_install(&watch->breakpoint, &why) == 0;
}

void watch_expect_refusal(const volatile void *address, size_t length, enum arch_access access,
                          int error, const char *claim)
{
    struct watch watch;
    struct refusal why = {""};
    int status;

    watch_init(&watch, address, length, access);
    status = breakpoint_install(&watch.breakpoint, &why);
    if (status == 0)
        breakpoint_remove(&watch.breakpoint);
    ktap_ok(status == -error && why.text[0], "%s: %s", claim, why.text);
}

uint64_t watch_disarm(struct watch *watch)
{
    breakpoint_remove(&watch->breakpoint);
    return watch->hits;
}
