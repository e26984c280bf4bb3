/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See hpet.h. The comparator is level-triggered although only its edges count: the status register
 * then records that it has fired, which identifies an NMI's source. It fires once and is then set
 * again, so that no second signal precedes the NMI's read of the status. QEMU supports only
 * accesses of 32 bits.
 */
#include "drivers/hpet.h"

#include <stddef.h>

/* "Register Overview"; TIMER is the first comparator. */
#define CAPABILITIES 0x000
#define PERIOD       0x004 /* of one count, in femtoseconds */
#define CONTROL      0x010
#define STATUS       0x020
#define COUNT_LOW    0x0f0
#define COUNT_HIGH   0x0f4
#define TIMER        0x100
#define TIMER_LINES  0x104
#define TIMER_NEXT   0x108

#define CONTROL_COUNTS 1u

/* "Timer N Configuration and Capabilities Register" */
#define TIMER_LEVEL      (1u << 1)
#define TIMER_SIGNALS    (1u << 2)
#define TIMER_32         (1u << 8)
#define TIMER_LINE(line) ((line) << 9)

#define PERIOD_MOST  100000000u /* the specification's: at least 10 MHz */
#define LATEST_HERTZ 50000      /* 20 us: longer than a few accesses */
#define SECOND_FS    1000000000000000ull

static volatile uint8_t *registers; /* set at boot, like the next two */
static uint32_t counts_a_second;
static uint32_t setting;         /* of TIMER while the comparator runs */
static volatile uint32_t period; /* counts; 0: stopped */
static uint32_t next;            /* count at which the comparator fires */

static uint32_t hpet_read(unsigned offset)
{
    return *(volatile uint32_t *)(registers + offset);
}

static void hpet_write(unsigned offset, uint32_t value)
{
    *(volatile uint32_t *)(registers + offset) = value;
}

static void hpet_stop(void)
{
    hpet_write(CONTROL, 0);
    hpet_write(STATUS, 1); /* while TIMER still selects the line to lower */
    hpet_write(TIMER, 0);
}

const char *hpet_init(volatile void *mapped)
{
    uint32_t femtoseconds;

    registers = mapped;
    femtoseconds = hpet_read(PERIOD);
    if (femtoseconds == 0 || femtoseconds > PERIOD_MOST)
        return "the HPET does not answer";
    counts_a_second = (uint32_t)(SECOND_FS / femtoseconds);
    hpet_stop();
    return NULL;
}

uint32_t hpet_count_start(void)
{
    hpet_write(CONTROL, CONTROL_COUNTS);
    return counts_a_second;
}

uint32_t hpet_count(void)
{
    return hpet_read(COUNT_LOW);
}

uint32_t hpet_possible_lines(void)
{
    return hpet_read(TIMER_LINES);
}

void hpet_set_line(unsigned line)
{
    setting = TIMER_LINE(line) | TIMER_LEVEL | TIMER_SIGNALS | TIMER_32;
}

void hpet_set_rate(unsigned hertz)
{
    period = 0;
    hpet_stop();
    if (hertz == 0)
        return;
    hpet_write(COUNT_LOW, 0);
    hpet_write(COUNT_HIGH, 0);
    next = counts_a_second / hertz;
    period = next;
    hpet_write(TIMER, setting);
    hpet_write(TIMER_NEXT, next);
    hpet_write(CONTROL, CONTROL_COUNTS);
}

void hpet_slow_down(unsigned hertz)
{
    period = counts_a_second / hertz;
}

/*
 * Advances by one period, so that a late signal does not shift later ones. A count in the past
 * would match only once the counter has wrapped, after 43 s at 100 MHz: the count is checked again
 * after the write, because an emulator may pause before it.
 */
static void hpet_set_next(void)
{
    uint32_t now = hpet_read(COUNT_LOW), least = now + counts_a_second / LATEST_HERTZ;

    next += period;
    if ((int32_t)(next - least) < 0)
        next = now + period;
    hpet_write(TIMER_NEXT, next);
    while ((now = hpet_read(COUNT_LOW), (int32_t)(next - now) <= 0) && !(hpet_read(STATUS) & 1)) {
        next = now + period;
        hpet_write(TIMER_NEXT, next);
    }
}

bool hpet_came(void)
{
    if (!(hpet_read(STATUS) & 1))
        return false;
    hpet_write(STATUS, 1);
    if (period > 0)
        hpet_set_next();
    return true;
}
