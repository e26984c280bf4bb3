/* SPDX-License-Identifier: BSD-2-Clause */
/* What runs for the search for races (race.h): accesses, atomic ones, and fences. */
#include "outside/plugin/race.h"

#include "outside/plugin/code.h"
#include "outside/plugin/facts.h"
#include "outside/plugin/pause.h"
#include "outside/plugin/race_interrupt.h"
#include "outside/plugin/race_words.h"
#include "outside/plugin/run.h"

#define TICK   5000000 /* nanoseconds, in which a timer may interrupt */
#define ENOUGH 5000    /* instructions of the others while a CPU is stopped */

__attribute__((noinline)) static void look(unsigned cpu, const struct race_access *access)
{
    bool stops, ran;

    if (!race_wants(cpu, access))
        return;
    stops = run_take(cpu) && race_takes(cpu, access);
    plugin_unlock();
    if (!stops)
        return;
    ran = !race_is_alone(cpu) && pause_now(cpu, ENOUGH);
    if (race_is_alone(cpu))
        pause_sleep(cpu, TICK);
    if (run_take(cpu))
        race_continues(cpu, ran);
    plugin_unlock();
}

/* For most accesses, so all that most of them need is here. */
__attribute__((flatten)) static void on_access(unsigned cpu, qemu_plugin_meminfo_t info,
                                               uint64_t address, void *own)
{
    const struct race_access access = {.ip = (uintptr_t)own, .address = address, .info = info};

    if (race_looks(cpu, &access))
        look(cpu, &access);
}

static void on_atomic(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    (void)cpu;
    (void)own;
    race_atomic(address, info);
}

static void on_fence(unsigned cpu, void *own)
{
    (void)own;
    race_fence(cpu);
}

static void on_open(unsigned cpu, void *own)
{
    (void)own;
    race_interrupt_opens(cpu);
}

void race_watch_instruction(const struct instruction *instruction)
{
    const struct code *code = instruction->code;
    uint64_t ip = code->ip;
    enum decoded_mask kind;
    bool syncs;

    if (!race_watch() || !code_is_kernels(ip))
        return;
    kind = decode_mask(instruction->bytes);
    if (kind == DECODED_STI || kind == DECODED_POPF)
        qemu_plugin_register_vcpu_insn_exec_cb(instruction->qemu, on_open, QEMU_PLUGIN_CB_NO_REGS,
                                               NULL);
    if (decode_is_fence(instruction->bytes))
        qemu_plugin_register_vcpu_insn_exec_cb(instruction->qemu, on_fence, QEMU_PLUGIN_CB_NO_REGS,
                                               NULL);
    syncs = decode_is_atomic(instruction->bytes) || race_words_are_named(ip);
    if (code->kind == DECODED_INTERRUPT_RETURN) /* pops, and reads descriptors */
        return;
    if (syncs ||
        (!decode_is_of_stack(code->kind, code->target) && !decode_is_frame(instruction->bytes)))
        qemu_plugin_register_vcpu_mem_cb(instruction->qemu, syncs ? on_atomic : on_access,
                                         QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                         (void *)(uintptr_t)ip);
}
