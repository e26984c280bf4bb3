/* SPDX-License-Identifier: BSD-2-Clause */
/* See kernel_locks.h. */
#include "outside/plugin/kernel_locks.h"

#include <string.h>

#include "outside/plugin/code.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/held.h"
#include "outside/plugin/lock_functions.h"
#include "outside/plugin/lock_seen.h"
#include "outside/plugin/masked.h"
#include "outside/plugin/run.h"
#include "outside/plugin/store.h"
#include "outside/plugin/tell.h"

static bool words; /* locks are also found by sight */

bool kernel_locks_begin(const struct request *request)
{
    words = request->locks.words;
    return held_begin() && lock_functions_begin(request) && lock_seen_begin();
}

void kernel_locks_slide(uint64_t by)
{
    lock_functions_slide(by);
}

void kernel_locks_before_switch(unsigned cpu)
{
    held_before_switch(cpu);
}

void kernel_locks_after_switch(unsigned cpu)
{
    held_after_switch(cpu);
}

void kernel_locks_return(unsigned cpu, uint64_t number)
{
    lock_functions_return(cpu, number);
}

static struct wire_place place_at(unsigned cpu, uint64_t ip)
{
    return (struct wire_place){.ip = ip, .context = follow_context(cpu), .cpu = cpu};
}

void kernel_locks_flags(unsigned cpu, uint64_t ip, uint64_t flags)
{
    struct wire_place place = place_at(cpu, ip);

    masked_set(cpu, flags & MASKED_FLAG, &place);
}

void kernel_locks_reset(void)
{
    held_reset();
    lock_functions_reset();
    masked_reset();
    lock_seen_reset();
    lock_words_reset();
}

void kernel_locks_tell(void)
{
    struct wire_locks totals = {.lost_words = lock_seen_lost(), .queues = lock_seen_queues()};

    held_tell(&totals);
    tell_locks(&totals);
    lock_functions_tell();
}

/* --- Callbacks; `own` is the instruction's address --- */

static void on_function(unsigned cpu, void *own)
{
    if (run_take(cpu))
        lock_functions_enter(cpu, (uintptr_t)own);
    plugin_unlock();
}

static void on_halt(unsigned cpu, void *own)
{
    if (run_take(cpu)) {
        struct wire_place place = place_at(cpu, (uintptr_t)own);

        held_halts(cpu, &place);
    }
    plugin_unlock();
}

static void change_flags(unsigned cpu, const void *own, uint64_t flags)
{
    if (run_take(cpu))
        kernel_locks_flags(cpu, (uintptr_t)own, flags);
    plugin_unlock();
}

static void on_cli(unsigned cpu, void *own)
{
    change_flags(cpu, own, 0);
}

static void on_sti(unsigned cpu, void *own)
{
    change_flags(cpu, own, MASKED_FLAG);
}

static void on_popf(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    struct store popped = {.address = address, .length = sizeof(uint64_t), .info = info};
    uint8_t value[STORE_MOST];
    uint64_t flags;

    if (!store_value(&popped, value))
        return;
    memcpy(&flags, value, sizeof(flags));
    change_flags(cpu, own, flags);
}

void kernel_locks_watch(const struct instruction *instruction)
{
    static qemu_plugin_exec *const callbacks[] = {
        [DECODED_CLI] = on_cli, [DECODED_STI] = on_sti, [DECODED_HALTS] = on_halt};
    uint64_t ip = instruction->code->ip;
    enum decoded_mask kind;

    if (!run.locks || !code_is_kernels(ip))
        return;
    if (words)
        lock_seen_watch(instruction);
    if (lock_functions_have(ip))
        qemu_plugin_register_vcpu_insn_exec_cb(instruction->qemu, on_function,
                                               QEMU_PLUGIN_CB_R_REGS, (void *)(uintptr_t)ip);
    if (run.trace) /* has no times with interrupts off */
        return;
    kind = decode_mask(instruction->bytes);
    if (kind == DECODED_POPF)
        qemu_plugin_register_vcpu_mem_cb(instruction->qemu, on_popf, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_R, (void *)(uintptr_t)ip);
    else if (kind != DECODED_KEEPS_MASK)
        qemu_plugin_register_vcpu_insn_exec_cb(instruction->qemu, callbacks[kind],
                                               QEMU_PLUGIN_CB_NO_REGS, (void *)(uintptr_t)ip);
}
