/* SPDX-License-Identifier: BSD-2-Clause */
/* See pm_timer.h. */
#include "drivers/pm_timer.h"

#include "arch/x86_64/cpu/port.h"

static uint16_t timer_port; /* set at boot */

void pm_timer_init(uint16_t port)
{
    timer_port = port;
}

uint32_t pm_timer_count(void)
{
    return port_read32(timer_port);
}
