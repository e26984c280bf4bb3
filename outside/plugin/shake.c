/* SPDX-License-Identifier: BSD-2-Clause */
/* See shake.h. Where a CPU stops, and for how long, decides what happens, not what is told. */
#include "outside/plugin/shake.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include "outside/plugin/clock.h"
#include "outside/plugin/code.h"
#include "outside/plugin/decode.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/race_words.h"

#define EVERY       1000u /* places that a CPU passes from one stop to the next, on the average */
#define SHORTEST    256u  /* instructions of the others; each length is twice the one before */
#define BRIEFEST    20000 /* nanoseconds, for a CPU that runs alone; the same */
#define LENGTHS     8u
#define SLICE_FIRST 20000   /* nanoseconds; each is twice the one before */
#define SLICE_LAST  2560000 /* so a pause takes 5 ms at most, more if the host is busy */
#define SLACK       1000    /* nanoseconds that the host may sleep longer */

/* --- Pauses --- */

static unsigned cpu_count;
static bool idle[FOLLOW_CPUS], precise[FOLLOW_CPUS];

static void set_idle(unsigned cpu, bool is_idle)
{
    if (cpu < FOLLOW_CPUS)
        __atomic_store_n(&idle[cpu], is_idle, __ATOMIC_RELAXED);
}

static void on_idle(API_CALLED(unsigned cpu))
{
    set_idle(cpu, true);
}

static void on_resume(API_CALLED(unsigned cpu))
{
    set_idle(cpu, false);
}

void pause_begin(qemu_plugin_id_t id, unsigned count)
{
    if (cpu_count)
        return;
    cpu_count = count;
    qemu_plugin_register_vcpu_idle_cb(id, API_PASS(on_idle));
    qemu_plugin_register_vcpu_resume_cb(id, API_PASS(on_resume));
}

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

/* --- Shaking --- */

static struct cpu {
    _Alignas(64) uint64_t left; /* places to the next stop */
    uint64_t seed;
} * cpus; /* NULL: CPUs are not stopped */

bool shake_begin(qemu_plugin_id_t id, const struct request *request, unsigned count)
{
    if (!request->shake)
        return true;
    cpus = aligned_alloc(_Alignof(struct cpu), FOLLOW_CPUS * sizeof(*cpus));
    if (!cpus || !race_words_begin(request))
        return false;
    pause_begin(id, count);
    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++)
        cpus[cpu] = (struct cpu){1 + cpu, pause_seed(request->shake, cpu)};
    return true;
}

static void pass(unsigned cpu)
{
    struct cpu *me = &cpus[cpu];
    unsigned length;

    if (__builtin_expect(--me->left > 0, 1))
        return;
    me->left = 1 + pause_random(&me->seed) % (2 * EVERY);
    length = pause_random(&me->seed) % LENGTHS;
    if (pause_helps(cpu))
        pause_now(cpu, SHORTEST << length);
    else
        pause_sleep(cpu, BRIEFEST << length);
}

/* --- Callbacks --- */

static void on_place(unsigned cpu, void *own)
{
    (void)own;
    pass(cpu);
}

static void on_store(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    const struct race_access access = {.address = address, .info = info};

    (void)own;
    if (__builtin_expect(race_words_do_synchronise(address, race_access_length(&access)), 0))
        pass(cpu);
}

void shake_watch_instruction(const struct instruction *instruction)
{
    bool atomic = decode_is_atomic(instruction->bytes);

    if (!cpus || !code_is_kernels(instruction->code->ip))
        return;
    if (atomic || decode_is_call(instruction->code->kind))
        qemu_plugin_register_vcpu_insn_exec_cb(instruction->qemu, on_place, QEMU_PLUGIN_CB_NO_REGS,
                                               NULL);
    if (atomic || decode_may_give(instruction->bytes))
        qemu_plugin_register_vcpu_mem_cb(instruction->qemu,
                                         atomic ? race_words_on_atomic : on_store,
                                         QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
}
