/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A command that resets the machine, but not in the boot after a reset. Linked at level 7 (port.mk)
 * for tests/boot/ports_console.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

#define CONTROLLER 0x64
#define RESET      0xfe
#define HAS_BEGUN  0x62656775

static uint32_t mark __attribute__((section(".bss.pitot_kept"))); /* HAS_BEGUN: the second boot */

static int restart_run(int argc, char **argv)
{
    (void)argc, (void)argv;
    if (mark == HAS_BEGUN)
        return 0;
    mark = HAS_BEGUN;
    port_write(CONTROLLER, RESET);
    for (;;)
        __asm__ volatile("hlt");
}

PITOT_COMMAND(restart, "", "resets the machine, once", restart_run);
