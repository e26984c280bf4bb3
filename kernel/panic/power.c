/* SPDX-License-Identifier: BSD-2-Clause */
/* See power.h. */
#include "kernel/panic/power.h"

#include <stddef.h>

static void (*power_handler)(enum power_state state); /* set at boot */

void power_set_handler(void (*handler)(enum power_state state))
{
    power_handler = handler;
}

void power_request(enum power_state state)
{
    if (power_handler)
        power_handler(state);
}
