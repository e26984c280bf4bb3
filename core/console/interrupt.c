/* SPDX-License-Identifier: BSD-2-Clause */
/* ^C, as the host reports it (core/host.h): see command.h. */
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
