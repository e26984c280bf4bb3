/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turning the machine off or on again, by code that knows how (boot/ports.c registers it). Task
 * context.
 */
#pragma once

enum power_state { POWER_OFF, POWER_RESET };

void power_set_handler(void (*handler)(enum power_state state));

/* Returns only if the machine did not obey. */
void power_request(enum power_state state);
