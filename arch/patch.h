/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sites, places in the code that are turned on and off, and the gates that they lead to: for
 * core/tracepoint.
 */
#pragma once

#include <stdbool.h>

#include "arch/x86_64/cpu/site.h"

/*
 * Turns a site on or off; nothing to do if it is so already. 0; -EINVAL where neither its nop nor
 * its jump stands in the text, -ETIMEDOUT where the other CPUs could not be parked: nothing is
 * changed then. Task context.
 */
int arch_site_set(const struct arch_site *site, bool on);
