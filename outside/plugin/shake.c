/* SPDX-License-Identifier: BSD-2-Clause */
/* See shake.h. Where a CPU stops, and for how long, decides what happens, not what is told. */
#include "outside/plugin/shake.h"

#include <stdlib.h>

#include "outside/plugin/code.h"
#include "outside/plugin/decode.h"
#include "outside/plugin/pause.h"
#include "outside/plugin/race_recent.h"
#include "outside/plugin/race_words.h"

#define EVERY    1000u /* places that a CPU passes from one stop to the next, on the average */
#define SHORTEST 256u  /* instructions of the others; each length is twice the one before */
#define BRIEFEST 20000 /* nanoseconds, for a CPU that runs alone; the same */
#define LENGTHS  8u

static struct cpu {
    _Alignas(64) uint64_t left; /* places to the next stop */
    uint64_t seed;
} * cpus; /* NULL: CPUs are not stopped */

bool shake_begin(qemu_plugin_id_t id, const struct request *request, unsigned count)
{
    if (!request->shake)
        return true;
    cpus = aligned_alloc(_Alignof(struct cpu), count * sizeof(*cpus));
    if (!cpus || !race_words_begin(request))
        return false;
    pause_begin(id, count);
    for (unsigned cpu = 0; cpu < count; cpu++)
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

static void on_atomic(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    const struct race_access access = {.address = address, .info = info};

    (void)cpu;
    (void)own;
    race_words_synchronise(address, race_access_length(&access));
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
        qemu_plugin_register_vcpu_mem_cb(instruction->qemu, atomic ? on_atomic : on_store,
                                         QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
}
