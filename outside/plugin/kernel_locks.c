/* SPDX-License-Identifier: BSD-2-Clause */
/* See kernel_locks.h. */
#include "outside/plugin/kernel_locks.h"

#include <string.h>

#include "outside/plugin/clock.h"
#include "outside/plugin/code.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/held.h"
#include "outside/plugin/lock_seen.h"
#include "outside/plugin/run.h"
#include "outside/plugin/store.h"
#include "outside/plugin/tell.h"

#define MASKED_FLAG 0x200u /* IF, of rflags */
#define TIMES_MOST  4096u  /* pairs of places; a power of two */

static bool words; /* locks are also found by sight */

bool kernel_locks_begin(const struct request *request)
{
    words = request->locks.words;
    return held_begin() && lock_functions_begin(request) && lock_seen_begin();
}

/*
 * --- Interrupts off ---
 *
 * From the instructions that decide it (cli, sti, popf, iret) and from the flags at a handler's
 * first instruction. The longest times are told.
 */

static struct cpu {
    enum { NOT_KNOWN, ON, OFF } state;
    uint64_t since; /* OFF: that it began is known, or 0 */
    struct wire_place off;
} cpus[FOLLOW_CPUS];

/* A hash table with open addressing, by the two instructions; count 0: free. */
static struct wire_masked times[TIMES_MOST];
static uint32_t time_count;
static uint64_t without_room;

bool kernel_locks_are_open(unsigned cpu)
{
    return cpus[cpu].state == ON;
}

static void count_time(const struct wire_place *off, const struct wire_place *on, uint64_t length)
{
    uint32_t at = (uint32_t)((off->ip * 0x9e3779b97f4a7c15u ^ on->ip) >> 20) % TIMES_MOST;

    while (times[at].count && (times[at].off.ip != off->ip || times[at].on.ip != on->ip))
        at = (at + 1) % TIMES_MOST;
    if (times[at].count == 0 && time_count == TIMES_MOST / 2) {
        without_room++;
        return;
    }
    time_count += times[at].count++ == 0;
    if (length <= times[at].longest)
        return;
    times[at].longest = length;
    times[at].off = *off;
    times[at].on = *on;
}

/* They are on from now on, or off; told at `place`. */
static void set_mask(unsigned number, bool on, const struct wire_place *place)
{
    struct cpu *cpu = &cpus[number];

    if (!on && cpu->state != OFF) {
        cpu->since = clock_time(number);
        cpu->off = *place;
    }
    if (on && cpu->state == OFF && cpu->since)
        count_time(&cpu->off, place, clock_time(number) - cpu->since);
    if (on && cpu->state != ON)
        held_opens(number, place);
    cpu->state = on ? ON : OFF;
}

static void tell_times(void)
{
    for (uint32_t i = 0; i < TIMES_MOST; i++)
        if (times[i].count > 0)
            tell_masked(&times[i], times[i].off.cpu);
}

static struct wire_place place_at(unsigned cpu, uint64_t ip)
{
    return (struct wire_place){.ip = ip, .context = follow_context(cpu), .cpu = cpu};
}

void kernel_locks_flags(unsigned cpu, uint64_t ip, uint64_t flags)
{
    struct wire_place place = place_at(cpu, ip);

    set_mask(cpu, flags & MASKED_FLAG, &place);
}

/* --- All --- */

void kernel_locks_reset(void)
{
    held_reset();
    lock_functions_reset();
    memset(cpus, 0, sizeof(cpus));
    lock_seen_reset();
    lock_words_reset();
}

void kernel_locks_tell(void)
{
    struct wire_locks totals = {.lost_words = lock_seen_lost(), .queues = lock_seen_queues()};

    held_tell(&totals);
    tell_times();
    totals.lost_masked = without_room;
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
