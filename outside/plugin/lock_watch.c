/* SPDX-License-Identifier: BSD-2-Clause */
/* What runs for locks by sight (lock_seen.h). */
#include <string.h>

#include "outside/plugin/code.h"
#include "outside/plugin/facts.h"
#include "outside/plugin/lock_seen.h"
#include "outside/plugin/registers.h"
#include "outside/plugin/run.h"
#include "outside/plugin/store.h"

/* --- Words; `own` is a struct lock_site --- */

static void on_exchange(unsigned cpu, void *own)
{
    if (run_take(cpu))
        lock_words_before(cpu, own);
    plugin_unlock();
}

static void on_exchange_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address,
                               void *own)
{
    (void)info;
    (void)own;
    lock_words_accesses(cpu, address);
}

static void on_exchanged(unsigned cpu, void *own)
{
    if (run_take(cpu))
        lock_words_after(cpu, own);
    plugin_unlock();
}

__attribute__((noinline)) static void store(unsigned cpu, qemu_plugin_meminfo_t info,
                                            uint64_t address)
{
    struct store made = {.address = address, .length = store_length(info), .info = info};
    uint8_t bytes[STORE_MOST];
    uint64_t value;

    if (made.length == 0 || !store_value(&made, bytes))
        return;
    memcpy(&value, bytes, sizeof(value));
    if (run_take(cpu)) {
        lock_words_store(cpu, address, value, made.length);
        lock_bits_store(cpu, address, value, made.length);
        lock_tickets_store(cpu, address, value, made.length);
    }
    plugin_unlock();
}

static void on_store(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    (void)own;
    if (__builtin_expect(lock_seen_may_be(address), 0))
        store(cpu, info, address);
}

/* --- Bits --- */

static void on_bit(unsigned cpu, void *own)
{
    lock_bits_before(cpu, own);
}

/* QEMU tells what an atomic instruction has read. */
static void on_bit_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    struct lock_site *site = own;
    uint64_t old;

    if (store_length(info) != 0 || !store_access_value(info, site->exchange.width, &old))
        return;
    if (run_take(cpu))
        lock_bits_test(cpu, site, address, old);
    plugin_unlock();
}

/* `own`: an enum decoded_bits. */
static void on_atomic(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    unsigned length = store_length(info);
    uint64_t value;

    if (length == 0 || !lock_seen_may_be(address) || !store_access_value(info, length, &value))
        return;
    if (run_take(cpu)) {
        lock_words_atomic(cpu, (enum decoded_bits)(uintptr_t)own, address, value, length);
        lock_bits_atomic(cpu, (enum decoded_bits)(uintptr_t)own, address, value, length);
        lock_tickets_atomic(cpu, address, value, length);
    }
    plugin_unlock();
}

/* --- Tickets --- */

static void on_ticket_load(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    unsigned length = 1u << qemu_plugin_mem_size_shift(info);
    uint64_t value;

    (void)own;
    if (!lock_tickets_waits(cpu) || !store_access_value(info, length, &value))
        return;
    if (run_take(cpu))
        lock_tickets_load(cpu, address, value, length);
    plugin_unlock();
}

static void watch_bit(const struct instruction *instruction, struct lock_site *site)
{
    if (!site->exchange.has_bit)
        qemu_plugin_register_vcpu_insn_exec_cb(instruction->qemu, on_bit, QEMU_PLUGIN_CB_R_REGS,
                                               site);
    qemu_plugin_register_vcpu_mem_cb(instruction->qemu, on_bit_access, QEMU_PLUGIN_CB_NO_REGS,
                                     QEMU_PLUGIN_MEM_RW, site);
}

void lock_seen_watch(const struct instruction *instruction)
{
    const struct code *code = instruction->code;
    struct decoded_exchange exchange = decode_exchange(instruction->bytes);
    struct lock_site *site;

    if (lock_tickets_has_load(code->ip))
        qemu_plugin_register_vcpu_mem_cb(instruction->qemu, on_ticket_load, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_R, NULL);
    if (decode_may_give(instruction->bytes))
        qemu_plugin_register_vcpu_mem_cb(instruction->qemu, on_store, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_W, NULL);
    if (exchange.kind == DECODED_ATOMIC)
        qemu_plugin_register_vcpu_mem_cb(instruction->qemu, on_atomic, QEMU_PLUGIN_CB_NO_REGS,
                                         QEMU_PLUGIN_MEM_RW,
                                         (void *)(uintptr_t)decode_bits(instruction->bytes));
    if (exchange.kind == DECODED_NOT_ATOMIC || exchange.kind == DECODED_ATOMIC)
        return;
    if (exchange.kind != DECODED_TEST_SET && !instruction->after)
        return;
    site = lock_seen_site(code->ip, (unsigned)(code->next - code->ip), &exchange);
    if (!site)
        return;
    if (exchange.kind == DECODED_TEST_SET) {
        watch_bit(instruction, site);
        return;
    }
    if (exchange.kind == DECODED_ADD && lock_seen_spins(REGISTERS_NO_CPU, site))
        lock_tickets_expect(site);
    qemu_plugin_register_vcpu_insn_exec_cb(instruction->qemu, on_exchange, QEMU_PLUGIN_CB_R_REGS,
                                           site);
    qemu_plugin_register_vcpu_mem_cb(instruction->qemu, on_exchange_access, QEMU_PLUGIN_CB_NO_REGS,
                                     QEMU_PLUGIN_MEM_RW, NULL);
    qemu_plugin_register_vcpu_insn_exec_cb(instruction->after, on_exchanged, QEMU_PLUGIN_CB_R_REGS,
                                           site);
}
