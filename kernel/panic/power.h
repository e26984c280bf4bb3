/* SPDX-License-Identifier: BSD-2-Clause */
/* Powers the machine off or resets it, by a handler that boot/ports.c registers. Task context. */
#pragma once

#include "core/pitot.h"

void power_set_handler(void (*handler)(enum pitot_power state));

/* Returns only if the machine did not comply. */
void power_request(enum pitot_power state);
