/* SPDX-License-Identifier: BSD-2-Clause */
/* See pit8254.h. */
#include "drivers/pit8254.h"

#include "arch/x86_64/clock.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/port.h"
#include "drivers/pic8259.h"

#define PIT_HERTZ 1193182u

#define COUNTER0 0x40
#define COUNTER2 0x42
#define CONTROL  0x43

/* Control word: counter, both bytes, mode. */
#define COUNTER0_RATE     0x34 /* mode 2, rate generator */
#define COUNTER2_ONE_SHOT 0xb0 /* mode 0, output high at terminal count */

/* "Port B" of the PC: gate and output of counter 2, and the speaker, which stays off. */
#define PORT_B         0x61
#define PORT_B_GATE    0x01
#define PORT_B_SPEAKER 0x02
#define PORT_B_OUTPUT  0x20

#define CALIBRATION_NS 5000000ull
#define CALIBRATIONS   4

static void (*pit_on_tick)(void); /* set before the line is unmasked */

static void pit_load(uint16_t counter, unsigned count)
{
    port_write8(counter, (uint8_t)count);
    port_write8(counter, (uint8_t)(count >> 8));
}

/* Ticks of the time stamp counter while counter 2 counts `count` down. */
static uint64_t pit_measure(unsigned count)
{
    uint8_t gate = (port_read8(PORT_B) & (uint8_t)~PORT_B_SPEAKER) | PORT_B_GATE;
    uint64_t start;

    port_write8(PORT_B, gate & (uint8_t)~PORT_B_GATE);
    port_write8(CONTROL, COUNTER2_ONE_SHOT);
    pit_load(COUNTER2, count);
    port_write8(PORT_B, gate);
    start = cpu_read_tsc();
    while (!(port_read8(PORT_B) & PORT_B_OUTPUT))
        ;
    return cpu_read_tsc() - start;
}

/*
 * The shortest of several: an emulator that was held up in the middle makes one too long, never too
 * short.
 */
void pit_calibrate(void)
{
    uint64_t shortest = UINT64_MAX;

    for (unsigned i = 0; i < CALIBRATIONS; i++) {
        uint64_t ticks = pit_measure((unsigned)(PIT_HERTZ * CALIBRATION_NS / 1000000000));

        shortest = ticks < shortest ? ticks : shortest;
    }
    clock_set_rate(shortest, CALIBRATION_NS);
}

static void pit_interrupt(struct regs *regs)
{
    (void)regs;
    pit_on_tick();
}

void pit_start(unsigned hertz, void (*tick)(void))
{
    pit_on_tick = tick;
    port_write8(CONTROL, COUNTER0_RATE);
    pit_load(COUNTER0, PIT_HERTZ / hertz);
    pic_connect(0, pit_interrupt);
}
