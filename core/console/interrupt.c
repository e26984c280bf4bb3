/* SPDX-License-Identifier: BSD-2-Clause */
/* ^C, as the kernel reports it (core/pitot.h): see command.h. */
#include "core/console/command.h"
#include "core/host.h"

bool command_interrupted(void)
{
    return host.interrupted && host.interrupted(PITOT_INTERRUPT_ASK);
}

bool command_take_interrupt(void)
{
    return host.interrupted && host.interrupted(PITOT_INTERRUPT_TAKE);
}

void command_wait_interrupt(void)
{
    if (host.interrupted)
        host.interrupted(PITOT_INTERRUPT_AWAIT);
}
