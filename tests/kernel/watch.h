/* SPDX-License-Identifier: BSD-2-Clause */
/* A breakpoint that counts and remembers its last hit, for suites. Task context. */
#pragma once

#include <stdint.h>

#include "core/breakpoint/breakpoint.h"

struct watch {
    struct breakpoint breakpoint;
    uint64_t hits;
    uintptr_t ip;      /* of the last hit */
    uintptr_t address; /* of the register that hit */
};

/* Arms; a refusal fails the suite and returns false. */
bool watch_arm(struct watch *watch, const volatile void *address, size_t length,
               enum arch_access access);

/* Arms in the kernel, or in a program; false if it was refused for lack of registers. */
bool watch_try(struct watch *watch, const struct breakpoint_target *target, uintptr_t address,
               size_t length, enum arch_access access);

/* Arms and expects -error. */
void watch_expect_refusal(const volatile void *address, size_t length, enum arch_access access,
                          int error, const char *claim);

/* Disarms and returns the hits. */
uint64_t watch_disarm(struct watch *watch);
