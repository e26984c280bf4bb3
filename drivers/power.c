/* SPDX-License-Identifier: BSD-2-Clause */
/* See power.h. The ports are those of the emulators' chipsets (docs/machines.md). */
#include "drivers/power.h"

#include "arch/cpu.h"
#include "arch/x86_64/cpu/port.h"

#define PM1A_CONTROL_SEABIOS 0x604  /* its port under SeaBIOS, and under OVMF on q35 */
#define PM1A_CONTROL_OTHERS  0xb004 /* its port under OVMF on pc, and in Bochs */
#define PM1_SLEEP_ENABLE     0x2000 /* sleep type 0, which both tables call S5 */

#define BOCHS_SHUTDOWN 0x8900

#define DEBUG_EXIT 0xf4

#define KEYBOARD_COMMAND     0x64
#define KEYBOARD_PULSE_RESET 0xfe
#define RESET_CONTROL        0xcf9
#define RESET_FULL           0x06

/*
 * Emulators may act up to a second later on a busy host; reading a port makes them run their main
 * loop. So this waits for both a time and a number of reads: the duration of a read varies, and
 * a clock that counts instructions does not follow the host's.
 */
#define PATIENCE_NS    10000000000ull
#define PATIENCE_READS 1000000u

static void power_wait(void)
{
    uint64_t began = arch_clock_ns();

    for (uint64_t reads = 0; reads < PATIENCE_READS || arch_clock_ns() - began < PATIENCE_NS;
         reads++)
        port_read8(KEYBOARD_COMMAND);
}

void power_off(void)
{
    port_write16(PM1A_CONTROL_SEABIOS, PM1_SLEEP_ENABLE);
    port_write16(PM1A_CONTROL_OTHERS, PM1_SLEEP_ENABLE);
    for (const char *word = "Shutdown"; *word; word++)
        port_write8(BOCHS_SHUTDOWN, (uint8_t)*word);
    power_wait();
}

void power_exit(uint8_t code)
{
    port_write32(DEBUG_EXIT, code);
}

void power_reset(void)
{
    port_write8(KEYBOARD_COMMAND, KEYBOARD_PULSE_RESET);
    power_wait();
    port_write8(RESET_CONTROL, RESET_FULL);
    power_wait();
}
