/* SPDX-License-Identifier: BSD-2-Clause */
/* Turning sites on and off (arch/x86_64/cpu/site.h). For core/tracepoint. */
#pragma once

#include <stdbool.h>

#include "arch/x86_64/cpu/site.h"

/*
 * Returns 0, also if the site is in that state already; -EINVAL if the text holds neither nop nor
 * jump, -ETIMEDOUT if the other CPUs could not be parked: nothing has changed then. Task context.
 */
int arch_site_set(const struct arch_site *site, bool on);
