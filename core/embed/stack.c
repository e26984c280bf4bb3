/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The room on the stack of a kernel that calls Pitot: what lies below a stack that is too small
 * would be overwritten in silence. Task context.
 */
#include "core/embed/embed.h"

#include "core/host.h"

enum embed_stack embed_stack_check(unsigned long bytes)
{
    unsigned long here = (unsigned long)__builtin_frame_address(0), low, high;

    if (!host.stack || !host.stack(here, &low, &high))
        return EMBED_STACK_UNKNOWN;
    return here - low < bytes ? EMBED_STACK_LESS : EMBED_STACK_ENOUGH;
}
