/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ^C, as reported by the host: see command.h and core/host.h. Without host.interrupted, ^C has no
 * effect.
 */
#include "core/console/command.h"
#include "core/host.h"

bool command_interrupted(void)
{
    return host.interrupted && host.interrupted(HOST_INTERRUPT_ASK);
}

bool command_take_interrupt(void)
{
    return host.interrupted && host.interrupted(HOST_INTERRUPT_TAKE);
}

void command_wait_interrupt(void)
{
    if (host.interrupted)
        host.interrupted(HOST_INTERRUPT_AWAIT);
}
