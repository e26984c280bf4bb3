/* SPDX-License-Identifier: BSD-2-Clause */
/* See power.h. */
#include "kernel/panic/power.h"

#include <stddef.h>

#include "core/pitot.h"

static void (*power_handler)(enum pitot_power state); /* set at boot */

void power_set_handler(void (*handler)(enum pitot_power state))
{
    power_handler = handler;
}

void power_request(enum pitot_power state)
{
    if (state == PITOT_POWER_RESET)
        pitot_boot_ends("a reboot that was asked for");
    if (power_handler)
        power_handler(state);
}
