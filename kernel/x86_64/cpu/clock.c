/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts the clock of all timestamps and sets its rate; arch/own.h reads it. */
#include "kernel/x86_64/cpu/clock.h"

#include "arch/cpu.h"
#include "arch/x86_64/cpu/cpu.h"

/* "CPUID", "Time Stamp Counter and Nominal Core Crystal Clock Information Leaf" */
#define CPUID_CLOCK 0x15

struct clock clock_boot = {.scale = 1ull << CLOCK_SCALE_SHIFT};

static uint64_t ticks_a_second;

void clock_start(void)
{
    clock_boot.start_ticks = cpu_read_tsc();
}

void clock_set_rate(uint64_t ticks)
{
    clock_boot.start_nanoseconds = arch_clock_ns(); /* the clock continues from its current time */
    clock_boot.start_ticks = cpu_read_tsc();
    clock_boot.scale = (1000000000ull << CLOCK_SCALE_SHIFT) / ticks;
    ticks_a_second = ticks;
}

uint64_t clock_rate_by_cpuid(void)
{
    struct cpuid leaf;

    if (cpu_id(0, 0).eax < CPUID_CLOCK)
        return 0;
    leaf = cpu_id(CPUID_CLOCK, 0);
    return leaf.eax ? (uint64_t)leaf.ecx * leaf.ebx / leaf.eax : 0;
}

uint64_t clock_rate(void)
{
    return ticks_a_second;
}
