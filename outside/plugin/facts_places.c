/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See facts.h. QEMU before 9.2 reports addresses of accesses, but no register and no value. So
 * interrupts are read from QEMU's log (log.h), and a load of rsp is decided by the next access to
 * the stack: pushes and pops are watched in blocks that load rsp. The physical page of an access
 * tells stacks at one virtual address apart.
 *
 * QEMU 7.2 calls back for accesses of the CPU itself, too, as for an interrupt's frame, as if the
 * last instruction with a callback had made them. So of an instruction that ends its block only the
 * first access counts, and only in that block.
 */
#include "outside/plugin/facts.h"

#if QEMU_API < 4
#include <string.h>

#include "outside/plugin/log.h"
#include "outside/plugin/run.h"
#include "outside/plugin/stack.h"
#include "outside/plugin/store.h"

#define WORD       8
#define WORD_SHIFT 3
#define PROGRAM    3 /* privilege of programs */

static struct cpu {
    _Alignas(64) uint64_t rsp; /* after the last access to the stack that was seen */
    uint64_t page;             /* whose physical page was last asked for; 0: none */
    bool begun;                /* the log was read once: what came before does not matter */
} cpus[FOLLOW_CPUS];

void log_write_line(void)
{
    qemu_plugin_outs("\n");
}

/* Not known: physical pages decide. */
enum memory memory_compare(uint64_t address, uint64_t word)
{
    (void)address;
    (void)word;
    return MEMORY_UNKNOWN;
}

void facts_for(unsigned cpu)
{
    (void)cpu;
}

/* --- Places --- */

/*
 * Returns the number of the physical page of this access if the virtual page is another than
 * before; 0: it is the same, or not the page below rsp.
 */
static uint64_t new_page(struct cpu *here, qemu_plugin_meminfo_t info, uint64_t place)
{
    const struct qemu_plugin_hwaddr *physical;

    if (place / STACK_PAGE == here->page || place % STACK_PAGE == 0)
        return 0;
    here->page = place / STACK_PAGE;
    physical = qemu_plugin_get_hwaddr(info, place);
    return physical && !qemu_plugin_hwaddr_is_io(physical)
               ? qemu_plugin_hwaddr_phys_addr(physical) / STACK_PAGE + 1
               : 0;
}

__attribute__((noinline)) static void settle_anew(unsigned cpu, qemu_plugin_meminfo_t info,
                                                  uint64_t place, uint64_t rsp)
{
    uint64_t physical;

    if (follow_is_open(cpu))
        cpus[cpu].page = 0; /* asks for the physical page */
    physical = new_page(&cpus[cpu], info, place);
    run_change(cpu);
    follow_place(cpu, rsp, physical, !qemu_plugin_mem_is_store(info));
    run_changed(cpu);
}

/* An access has shown that rsp is, or was, `rsp`. */
static void settle(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t place, uint64_t rsp)
{
    if (__builtin_expect(place / STACK_PAGE != cpus[cpu].page || follow_is_open(cpu), 0))
        settle_anew(cpu, info, place, rsp);
}

/* Flatten: calls and returns are the most frequent, and what most of them need is little. */
__attribute__((flatten)) static void on_call(unsigned cpu, qemu_plugin_meminfo_t info,
                                             uint64_t place, void *own)
{
    const struct code *code = own;

    if (store_length(info) == 0 || !clock_first_access(cpu, code->next))
        return;
    settle(cpu, info, place, place + WORD);
    cpus[cpu].rsp = place;
    run_call(cpu, place, code);
}

__attribute__((flatten)) static void on_return(unsigned cpu, qemu_plugin_meminfo_t info,
                                               uint64_t place, void *own)
{
    const struct code *code = own;

    if (store_length(info) != 0 || !clock_first_access(cpu, code->next))
        return;
    settle(cpu, info, place, place);
    cpus[cpu].rsp = place + WORD;
    run_return(cpu, place, code->ip);
}

static bool is_word(qemu_plugin_meminfo_t info, bool store)
{
    return qemu_plugin_mem_is_store(info) == store &&
           qemu_plugin_mem_size_shift(info) == WORD_SHIFT;
}

/* `push [memory]` reads elsewhere first, `pop [memory]` writes. */
static void on_push(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t place, void *own)
{
    (void)own;
    if (!is_word(info, true))
        return;
    settle(cpu, info, place, place + WORD);
    cpus[cpu].rsp = place;
}

static void on_pop(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t place, void *own)
{
    (void)own;
    if (!is_word(info, false))
        return;
    settle(cpu, info, place, place);
    cpus[cpu].rsp = place + WORD;
}

/* --- Stack switches --- */

static void on_load(unsigned cpu, void *own)
{
    const struct code *code = own;

    run_change(cpu);
    follow_load_unknown(cpu, cpus[cpu].rsp, code->kind == DECODED_LOADS && code->target);
    run_changed(cpu);
}

static void on_leave(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t place, void *own)
{
    if (!is_word(info, false))
        return;
    if (!follow_is_epilogue(cpu, place + WORD)) {
        if (!follow_is_open(cpu))
            on_load(cpu, own);
        settle(cpu, info, place, place);
    }
    cpus[cpu].rsp = place + WORD;
}

static void on_space(unsigned cpu, void *own)
{
    (void)own;
    cpus[cpu].page = 0;
}

static void on_syscall(unsigned cpu, void *own)
{
    const struct code *code = own;

    run_change(cpu);
    cpus[cpu].rsp = follow_syscall(cpu, code->ip, cpus[cpu].rsp);
    run_changed(cpu);
    clock_expect(cpu);
}

static void on_interrupt_return(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t place, void *own)
{
    const struct code *code = own;

    if (qemu_plugin_mem_is_store(info) || !clock_first_access(cpu, code->next))
        return;
    settle(cpu, info, place, place);
    run_change(cpu);
    cpus[cpu].rsp = follow_interrupt_return_near(cpu, place);
    run_changed(cpu);
}

/* --- Interrupts --- */

static void interrupt(unsigned cpu, const struct log_record *record, uint64_t entry)
{
    struct run_interrupt interrupt = {.follow = {.site = record->ip,
                                                 .entry = entry,
                                                 .from = record->sp,
                                                 .user = record->privilege == PROGRAM,
                                                 .switched = record->privilege == PROGRAM,
                                                 .space = record->space},
                                      .vector = (int)record->vector,
                                      .error = record->error};

    run_interrupt(cpu, &interrupt);
    cpus[cpu].rsp = record->sp;
}

/*
 * Several interrupts may have come before this block: then each began at the place where the next
 * one came. An interrupt whose delivery faults is logged, too, and the fault after it with the same
 * registers: the handler of the first one has not run.
 */
static void read_log(unsigned cpu, uint64_t start)
{
    struct log_record record, next;
    bool has_record;

    plugin_lock();
    has_record = log_next(cpu, &record);
    plugin_unlock();
    if (!cpus[cpu].begun) {
        cpus[cpu].begun = true;
        while (log_next(cpu, &record))
            ;
        return;
    }
    while (has_record) {
        has_record = log_next(cpu, &next);
        if (!has_record)
            interrupt(cpu, &record, start);
        else if (next.ip != record.ip || next.sp != record.sp)
            interrupt(cpu, &record, next.ip);
        record = next;
    }
}

void facts_block(unsigned cpu, const struct block *block)
{
    if (log_has_news(cpu))
        read_log(cpu, block->start);
}

/* --- What is watched --- */

void facts_begin(qemu_plugin_id_t id, const struct request *request)
{
    (void)id;
    if (*request->log.folder)
        log_begin(request);
}

static void on_instruction(const struct instruction *instruction, qemu_plugin_exec *callback)
{
    qemu_plugin_register_vcpu_insn_exec_cb(instruction->qemu, callback, QEMU_PLUGIN_CB_NO_REGS,
                                           (void *)(uintptr_t)instruction->code);
}

/* Read-write, because QEMU 7.2 reports no `ret` to a callback for reads alone. */
static void on_memory(const struct instruction *instruction, qemu_plugin_mem *callback)
{
    qemu_plugin_register_vcpu_mem_cb(instruction->qemu, callback, QEMU_PLUGIN_CB_NO_REGS,
                                     QEMU_PLUGIN_MEM_RW, (void *)(uintptr_t)instruction->code);
}

bool facts_want(const struct instruction *instruction)
{
    enum decoded kind = instruction->code->kind;

    return kind == DECODED_PUSH || kind == DECODED_POP
               ? instruction->near_load
               : kind != DECODED_OTHER && kind != DECODED_REMAP;
}

void facts_watch(const struct instruction *instruction)
{
    switch (instruction->code->kind) {
    case DECODED_CALL:
    case DECODED_CALL_FAR:
        on_memory(instruction, on_call);
        break;
    case DECODED_RETURN:
        on_memory(instruction, on_return);
        break;
    case DECODED_LOADS:
    case DECODED_RETURN_FAR: /* with a change of privilege */
        on_instruction(instruction, on_load);
        break;
    case DECODED_LEAVE:
        on_memory(instruction, on_leave);
        break;
    case DECODED_PUSH:
        on_memory(instruction, on_push);
        break;
    case DECODED_POP:
        on_memory(instruction, on_pop);
        break;
    case DECODED_SPACE:
        on_instruction(instruction, on_space);
        break;
    case DECODED_SYSCALL:
        on_instruction(instruction, on_syscall);
        break;
    case DECODED_SYSRET:
        on_instruction(instruction, run_sysret);
        break;
    case DECODED_INTERRUPT_RETURN:
        on_memory(instruction, on_interrupt_return);
        break;
    default:
        break;
    }
}

void facts_watch_block(struct qemu_plugin_tb *translated, uint64_t start)
{
    (void)translated;
    (void)start;
}

void facts_settle(unsigned cpu)
{
    (void)cpu;
}

void facts_reset(unsigned cpu)
{
    cpus[cpu] = (struct cpu){.rsp = 0};
    follow_reset(cpu);
}

void facts_end(void)
{
    log_end();
}
#endif
