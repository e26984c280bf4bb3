/* SPDX-License-Identifier: BSD-2-Clause */
/* See pit8254.h. */
#include "drivers/pit8254.h"

#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/cpu/port.h"
#include "drivers/pic8259.h"

#define COUNTER0 0x40
#define COUNTER2 0x42
#define CONTROL  0x43

/* Control word: counter, both bytes, mode. */
#define COUNTER0_RATE     0x34 /* mode 2, rate generator */
#define COUNTER0_NEVER    0x32 /* mode 1: starts at an edge of its gate, which never comes */
#define COUNTER2_LATCH    0x80 /* the next two reads return the current count */
#define COUNTER2_ONE_SHOT 0xb0 /* mode 0, output high at terminal count */

/* "Port B" of the PC: gate and output of counter 2, and the speaker, which stays off. */
#define PORT_B         0x61
#define PORT_B_GATE    0x01
#define PORT_B_SPEAKER 0x02
#define PORT_B_OUTPUT  0x20

static bool present;                   /* set at boot */
static trap_handler *pit_on_interrupt; /* set before the line is unmasked */

static void pit_load(uint16_t counter, unsigned count)
{
    port_write8(counter, (uint8_t)count);
    port_write8(counter, (uint8_t)(count >> 8));
}

/* True once the counter has reached 0, or if there is no such port, which reads as all ones. */
static bool pit_is_over(void)
{
    return port_read8(PORT_B) & PORT_B_OUTPUT;
}

bool pit_count_start(void)
{
    uint8_t gate = (port_read8(PORT_B) & (uint8_t)~PORT_B_SPEAKER) | PORT_B_GATE;

    port_write8(PORT_B, gate & (uint8_t)~PORT_B_GATE);
    port_write8(CONTROL, COUNTER2_ONE_SHOT);
    pit_load(COUNTER2, PIT_COUNT_MASK);
    port_write8(PORT_B, gate);
    present = !pit_is_over();
    return present;
}

uint32_t pit_count(void)
{
    unsigned low;

    if (pit_is_over())
        return PIT_COUNT_MASK;
    port_write8(CONTROL, COUNTER2_LATCH);
    low = port_read8(COUNTER2);
    return PIT_COUNT_MASK - (low | (unsigned)port_read8(COUNTER2) << 8);
}

bool pit_is_present(void)
{
    return present;
}

void pit_set_rate(unsigned hertz)
{
    port_write8(CONTROL, COUNTER0_RATE);
    pit_load(COUNTER0, PIT_HERTZ / hertz);
}

void pit_stop(void)
{
    port_write8(CONTROL, COUNTER0_NEVER);
    pit_load(COUNTER0, 1);
}

static void pit_interrupt(struct regs *regs)
{
    pit_on_interrupt(regs);
}

void pit_start(unsigned hertz, trap_handler *interrupt)
{
    pit_on_interrupt = interrupt;
    pit_set_rate(hertz);
    pic_connect(0, "timer", pit_interrupt);
}
