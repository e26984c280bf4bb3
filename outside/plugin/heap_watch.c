/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What runs for the heap (heap.h): the first instructions of allocators, and accesses of code whose
 * accesses are judged.
 */
#include "outside/plugin/heap.h"

#include "outside/plugin/code.h"
#include "outside/plugin/facts.h"
#include "outside/plugin/heap_change.h"
#include "outside/plugin/heap_words.h"
#include "outside/plugin/run.h"
#include "outside/wire.h"

__attribute__((noinline)) static void judge(unsigned cpu, qemu_plugin_meminfo_t info,
                                            uint64_t address, uint64_t ip)
{
    unsigned length = 1u << qemu_plugin_mem_size_shift(info);

    if (heap_words_are_good(address, length))
        return;
    if (run_take(cpu))
        heap_access(cpu, ip, address, length,
                    qemu_plugin_mem_is_store(info) ? WIRE_WRITE : WIRE_READ);
    plugin_unlock();
}

static void on_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    if (__builtin_expect(!heap_words_are_plain(address), 0))
        judge(cpu, info, address, (uintptr_t)own);
}

static void on_allocator(unsigned cpu, void *own)
{
    bool skips = run_take(cpu) && heap_enters(cpu, (uintptr_t)own);

    plugin_unlock();
    if (skips)
        heap_skip(cpu, (uintptr_t)own);
}

void heap_watch_instruction(const struct instruction *instruction)
{
    const struct code *code = instruction->code;
    uint64_t ip = code->ip;

    if (!heap_watch() || !code_is_kernels(ip))
        return;
    if (allocators_at(ip))
        qemu_plugin_register_vcpu_insn_exec_cb(instruction->qemu, on_allocator,
                                               heap_change_entry_flags(), (void *)(uintptr_t)ip);
    if (!decode_is_of_stack(code->kind, code->target) && !decode_is_fixed(instruction->bytes) &&
        !allocators_have(ip))
        qemu_plugin_register_vcpu_mem_cb(instruction->qemu, on_access, QEMU_PLUGIN_CB_NO_REGS,
                                         decode_is_call(code->kind) ? QEMU_PLUGIN_MEM_R
                                                                    : QEMU_PLUGIN_MEM_RW,
                                         (void *)(uintptr_t)ip);
}
