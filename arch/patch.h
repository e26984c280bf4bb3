/* SPDX-License-Identifier: BSD-2-Clause */
/* Turning sites on and off (arch/x86_64/cpu/site.h). For core/tracepoint. */
#pragma once

#include <stdbool.h>

#include "arch/x86_64/cpu/site.h"

/*
 * Returns 0 if the site is now, or already was, in that state. Otherwise nothing has changed:
 * returns -EINVAL if the text holds neither the nop nor the jump, -ETIMEDOUT if the other CPUs
 * could not be parked. Task context.
 */
int arch_site_set(const struct arch_site *site, bool on);
