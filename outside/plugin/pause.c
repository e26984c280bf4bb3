/* SPDX-License-Identifier: BSD-2-Clause */
/* See pause.h. How long a pause is decides what is found, not what is true. */
#include "outside/plugin/pause.h"

#include <sys/prctl.h>
#include <time.h>

#include "outside/plugin/clock.h"
#include "outside/plugin/follow.h"

#define SLICE_FIRST 20000   /* nanoseconds; each is twice the one before */
#define SLICE_LAST  2560000 /* so a pause takes 5 ms at most, more if the host is busy */
#define SLACK       1000    /* nanoseconds that the host may sleep longer */

static unsigned cpu_count;
static bool idle[FOLLOW_CPUS], precise[FOLLOW_CPUS];

static void set_idle(unsigned cpu, bool is_idle)
{
    if (cpu < FOLLOW_CPUS)
        __atomic_store_n(&idle[cpu], is_idle, __ATOMIC_RELAXED);
}

#if QEMU_API >= 7
static void on_idle(unsigned cpu, void *own)
{
    (void)own;
    set_idle(cpu, true);
}

static void on_resume(unsigned cpu, void *own)
{
    (void)own;
    set_idle(cpu, false);
}

void pause_begin(qemu_plugin_id_t id, unsigned count)
{
    if (cpu_count)
        return;
    cpu_count = count;
    qemu_plugin_register_vcpu_idle_cb(id, on_idle, NULL);
    qemu_plugin_register_vcpu_resume_cb(id, on_resume, NULL);
}
#else
static void on_idle(qemu_plugin_id_t id, unsigned cpu)
{
    (void)id;
    set_idle(cpu, true);
}

static void on_resume(qemu_plugin_id_t id, unsigned cpu)
{
    (void)id;
    set_idle(cpu, false);
}

void pause_begin(qemu_plugin_id_t id, unsigned count)
{
    if (cpu_count)
        return;
    cpu_count = count;
    qemu_plugin_register_vcpu_idle_cb(id, on_idle);
    qemu_plugin_register_vcpu_resume_cb(id, on_resume);
}
#endif

bool pause_helps(unsigned cpu)
{
    for (unsigned other = 0; other < cpu_count; other++)
        if (other != cpu && !__atomic_load_n(&idle[other], __ATOMIC_RELAXED))
            return true;
    return false;
}

static uint64_t executed_by_others(unsigned cpu)
{
    uint64_t sum = 0;

    for (unsigned other = 0; other < cpu_count; other++)
        if (other != cpu)
            sum += clock_time(other);
    return sum;
}

void pause_sleep(unsigned cpu, uint64_t nanoseconds)
{
    const struct timespec slice = {.tv_nsec = (long)nanoseconds};

    if (!precise[cpu]) {
        precise[cpu] = true;
        prctl(PR_SET_TIMERSLACK, SLACK);
    }
    nanosleep(&slice, NULL);
}

bool pause_now(unsigned cpu, uint64_t instructions)
{
    uint64_t before = executed_by_others(cpu);

    for (uint64_t slice = SLICE_FIRST; slice <= SLICE_LAST && pause_helps(cpu); slice *= 2) {
        pause_sleep(cpu, slice);
        if (executed_by_others(cpu) - before >= instructions)
            return true;
    }
    return executed_by_others(cpu) != before;
}

uint64_t pause_seed(uint64_t seed, unsigned cpu)
{
    return (seed + cpu + 1) * 0x9e3779b97f4a7c15u | 1;
}

/* Marsaglia, "Xorshift RNGs". */
uint64_t pause_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}
