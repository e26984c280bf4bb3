/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A command that takes 100 ticks, in which other threads have their turns. Linked at level 6
 * (port.mk) for tests/boot/ports_console.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

#define TICKS 100

static int rest_run(int argc, char **argv)
{
    (void)argc, (void)argv;
    for (uint64_t before = ticks; *(volatile uint64_t *)&ticks < before + TICKS;) {
        __asm__ volatile("hlt");
        thread_yield();
    }
    pitot_print("%d ticks\n", TICKS);
    return 0;
}

PITOT_COMMAND(rest, "", "takes 100 ticks", rest_run);
