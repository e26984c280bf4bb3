/* SPDX-License-Identifier: BSD-2-Clause */
/* Powers the machine off or resets it, by a handler that boot/ports.c registers. Task context. */
#pragma once

enum power_state { POWER_OFF, POWER_RESET };

void power_set_handler(void (*handler)(enum power_state state));

/* Returns only if the machine did not comply. */
void power_request(enum power_state state);
