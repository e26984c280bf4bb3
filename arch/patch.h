/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sites (places in the code that can be turned on and off) and the gates they call: for
 * core/tracepoint.
 */
#pragma once

#include <stdbool.h>

#include "arch/x86_64/cpu/site.h"

/*
 * Turns a site on or off; does nothing if the site is already in that state. Returns 0; -EINVAL if
 * the text holds neither the nop nor the jump; or -ETIMEDOUT if the other CPUs could not be parked.
 * On error nothing has changed. Task context.
 */
int arch_site_set(const struct arch_site *site, bool on);
