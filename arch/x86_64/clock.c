/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The clock of every timestamp. Before clock_set_rate one tick counts as one nanosecond, so that
 * early events have an order. Any context: two loads, a multiplication, no lock.
 */
#include "arch/x86_64/clock.h"

#include "arch/arch.h"
#include "arch/x86_64/cpu.h"

#define SCALE_SHIFT 32

static uint64_t scale = 1ull << SCALE_SHIFT; /* nanoseconds a tick, fixed point; set once at boot */
static uint64_t start_ticks, start_nanoseconds;
static uint64_t ticks_a_second;

uint64_t arch_clock_ns(void)
{
    return start_nanoseconds +
           (uint64_t)((unsigned __int128)(cpu_read_tsc() - start_ticks) * scale >> SCALE_SHIFT);
}

void clock_start(void)
{
    start_ticks = cpu_read_tsc();
}

void clock_set_rate(uint64_t ticks)
{
    start_nanoseconds = arch_clock_ns(); /* time goes on from here, it does not jump back */
    start_ticks = cpu_read_tsc();
    scale = (1000000000ull << SCALE_SHIFT) / ticks;
    ticks_a_second = ticks;
}

uint64_t clock_rate(void)
{
    return ticks_a_second;
}
