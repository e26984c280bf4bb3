/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sites, places in the code that are turned on and off, and the gates that they lead to: for
 * core/tracepoint.
 */
#pragma once

#include <stdbool.h>

#include "arch/x86_64/cpu/site.h"

/*
 * Turns a site on or off; without effect if it already is. Returns 0; -EINVAL if the text holds
 * neither its nop nor its jump; or -ETIMEDOUT if the other CPUs could not be parked. After an error
 * nothing has changed. Task context.
 */
int arch_site_set(const struct arch_site *site, bool on);
