/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See facts.h. QEMU 9.2 and later: rsp is read before and after an instruction that loads it, cr3
 * where it is loaded, and the CPU's frame of an interrupt at its handler's first instruction. That
 * an interrupt came is told by QEMU (10.2 and later: discontinuities), or by where code continues:
 * the interrupt table names the handlers (idt.c).
 */
#include "outside/plugin/facts.h"

#if QEMU_API >= 4
#include <string.h>

#include "outside/plugin/heap.h"
#include "outside/plugin/kernel_locks.h"
#include "outside/plugin/log.h"
#include "outside/plugin/registers.h"
#include "outside/plugin/run.h"
#include "outside/plugin/stack.h"

#define WORD        8
#define FRAME_WORDS 5  /* rip, cs, rflags, rsp, ss */
#define ALIGNMENT   16 /* of rsp before the CPU stores a frame of 40 bytes */
#define PRIVILEGE   3  /* bits of cs */
#define EXCEPTIONS  32 /* the vectors below are the CPU's own */

enum { FRAME_IP, FRAME_CS, FRAME_FLAGS, FRAME_SP };

static struct cpu {
    _Alignas(64) uint64_t loaded_from; /* rsp before the load that is running; 0: none */
    const struct code *int_code;       /* the `int` that runs */
} cpus[FOLLOW_CPUS];

static unsigned current; /* the CPU whose stacks are compared, under the lock */

static bool ended; /* QEMU reads memory in its CPUs' threads only */

enum memory memory_compare(uint64_t address, uint64_t word)
{
    uint64_t held;

    if (ended || !registers_memory(current, address, &held, sizeof(held)))
        return MEMORY_UNKNOWN;
    return held == word ? MEMORY_HOLDS : MEMORY_DIFFERS;
}

/* There is no log to read. */
void log_write_line(void)
{
}

void facts_for(unsigned cpu)
{
    current = cpu;
}

/* --- Calls and returns --- */

static void on_call(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t place, void *own)
{
    (void)info;
    run_call(cpu, place, own);
}

static void on_return(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t place, void *own)
{
    const struct code *code = own;

    (void)info;
    run_return(cpu, place, code->ip);
}

/* --- Stack switches --- */

static void on_load(unsigned cpu, void *own)
{
    (void)own;
    cpus[cpu].loaded_from = registers_general(cpu, REGISTERS_SP);
}

static void load(unsigned cpu, uint64_t from, uint64_t to)
{
    if (follow_is_epilogue(cpu, to))
        return;
    run_change(cpu);
    follow_load(cpu, from, to);
    run_changed(cpu);
}

/* The instruction after the load begins. After a fault of the load, rsp has not changed. */
static void on_loaded(unsigned cpu, void *own)
{
    uint64_t from = cpus[cpu].loaded_from;

    (void)own;
    cpus[cpu].loaded_from = 0;
    if (from)
        load(cpu, from, registers_general(cpu, REGISTERS_SP));
}

/* The load is the last instruction of its block: what comes next shows rsp. */
static void on_load_at_end(unsigned cpu, void *own)
{
    uint64_t from = registers_general(cpu, REGISTERS_SP);

    (void)own;
    run_change(cpu);
    follow_load_unknown(cpu, from, false);
    run_changed(cpu);
}

/* `leave` pops rbp: its place tells the new rsp, and QEMU's rsp is still the old one. */
static void on_leave(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t place, void *own)
{
    (void)info;
    (void)own;
    if (!follow_is_epilogue(cpu, place + WORD))
        load(cpu, registers_general(cpu, REGISTERS_SP), place + WORD);
}

static void on_space(unsigned cpu, void *own)
{
    const struct code *code = own;
    uint64_t space = registers_general(cpu, (unsigned)code->target) & ~UINT64_C(0x8000000000000fff);

    run_change(cpu);
    follow_space(cpu, space, registers_general(cpu, REGISTERS_SP));
    plugin_unlock(); /* not run_changed, which would ask for the stack before cr3 has changed */
}

static void on_syscall(unsigned cpu, void *own)
{
    const struct code *code = own;
    uint64_t rsp = registers_general(cpu, REGISTERS_SP);

    run_change(cpu);
    follow_space(cpu, registers_space(cpu), rsp);
    follow_syscall(cpu, code->ip, rsp);
    run_changed(cpu);
    clock_expect(cpu);
}

/* --- Interrupts --- */

static void on_int(unsigned cpu, void *own)
{
    cpus[cpu].int_code = own;
}

/*
 * A handler begins at `entry`; rsp points at the CPU's frame. Before it stores one the CPU aligns
 * rsp, so whether there is an error code shows in rsp.
 */
static void handle(unsigned cpu, uint64_t entry)
{
    uint64_t rsp = registers_general(cpu, REGISTERS_SP), frame[FRAME_WORDS], error = 0;
    bool has_error = rsp % ALIGNMENT == 0;
    uint64_t place = rsp + (has_error ? WORD : 0);
    const struct code *code = cpus[cpu].int_code;
    struct run_interrupt interrupt;
    bool is_int;

    if (!registers_memory(cpu, place, frame, sizeof(frame)))
        return;
    if (has_error)
        registers_memory(cpu, rsp, &error, sizeof(error));
    cpus[cpu].int_code = NULL;
    cpus[cpu].loaded_from = 0;
    is_int = code && code->next == frame[FRAME_IP];
    interrupt = (struct run_interrupt){.follow = {.site = is_int ? code->ip : frame[FRAME_IP],
                                                  .entry = entry,
                                                  .from = frame[FRAME_SP],
                                                  .place = place,
                                                  .user = (frame[FRAME_CS] & PRIVILEGE) != 0,
                                                  .space = registers_space(cpu)},
                                       .stored_at = rsp,
                                       .stored = (unsigned)(place + sizeof(frame) - rsp),
                                       .vector = run.vectors ? idt_vector(cpu, entry, has_error)
                                                             : RUN_VECTOR_UNKNOWN,
                                       .error = (uint32_t)error,
                                       .flags = run.locks ? registers_flags(cpu) : 0};
    interrupt.follow.device = interrupt.vector >= EXCEPTIONS && !is_int && !interrupt.follow.user;
    interrupt.follow.switched =
        interrupt.follow.user ||
        place != (frame[FRAME_SP] & ~(uint64_t)(ALIGNMENT - 1)) - sizeof(frame);
    run_change(cpu);
    follow_space(cpu, interrupt.follow.space, frame[FRAME_SP]);
    run_changed(cpu);
    run_interrupt(cpu, &interrupt);
}

static void on_handler(unsigned cpu, void *own)
{
    /* Unless a call has led here: it has just stored where rsp is. */
    if (!follow_is_epilogue(cpu, registers_general(cpu, REGISTERS_SP)))
        handle(cpu, (uintptr_t)own);
}

static void on_interrupt_return(unsigned cpu, void *own)
{
    uint64_t place = registers_general(cpu, REGISTERS_SP), frame[FRAME_WORDS];
    const struct code *code = own;

    if (!registers_memory(cpu, place, frame, sizeof(frame)))
        return;
    run_change(cpu);
    if (run.locks)
        kernel_locks_flags(cpu, code->ip, frame[FRAME_FLAGS]);
    follow_interrupt_return(cpu, place, frame[FRAME_SP], (frame[FRAME_CS] & PRIVILEGE) != 0);
    run_changed(cpu);
}

static void on_table(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    qemu_plugin_mem_value value = qemu_plugin_mem_get_value(info);

    (void)address;
    (void)own;
    if (value.type == QEMU_PLUGIN_MEM_VALUE_U16)
        idt_set_limit(cpu, value.data.u16);
    else
        idt_set_base(cpu,
                     value.type == QEMU_PLUGIN_MEM_VALUE_U64 ? value.data.u64 : value.data.u32);
}

static void on_discontinuity(API_CALLED(unsigned cpu, int kind, uint64_t from, uint64_t to))
{
    (void)kind;
    (void)from;
    clock_find(cpu);
    if (translate_has_begun())
        handle(cpu, to);
}

/* --- What is watched --- */

void facts_begin(qemu_plugin_id_t id, const struct request *request)
{
    (void)request;
    if (qemu_plugin_register_vcpu_discon_cb)
        qemu_plugin_register_vcpu_discon_cb(id, QEMU_PLUGIN_DISCON_INTERRUPT,
                                            API_PASS(on_discontinuity));
}

static void on_instruction(struct qemu_plugin_insn *instruction, qemu_plugin_exec *callback,
                           const struct code *code)
{
    qemu_plugin_register_vcpu_insn_exec_cb(instruction, callback, QEMU_PLUGIN_CB_R_REGS,
                                           (void *)(uintptr_t)code);
}

/* The registers of a sample of `return:`, or the result of an allocator or of a try for a lock. */
static int return_flags(void)
{
    if (allocators_are_known())
        return heap_change_return_flags();
    return (run.returns && run.registers) || run.locks ? QEMU_PLUGIN_CB_R_REGS
                                                       : QEMU_PLUGIN_CB_NO_REGS;
}

static void on_memory(struct qemu_plugin_insn *instruction, qemu_plugin_mem *callback,
                      int registers, int kind, const struct code *code)
{
    qemu_plugin_register_vcpu_mem_cb(instruction, callback, registers, kind,
                                     (void *)(uintptr_t)code);
}

void facts_watch(const struct instruction *instruction)
{
    const struct code *code = instruction->code;

    switch (code->kind) {
    case DECODED_CALL:
    case DECODED_CALL_FAR:
        on_memory(instruction->qemu, on_call, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_W, code);
        break;
    case DECODED_RETURN:
        on_memory(instruction->qemu, on_return, return_flags(), QEMU_PLUGIN_MEM_R, code);
        break;
    case DECODED_LOADS:
    case DECODED_RETURN_FAR: /* with a change of privilege */
        on_instruction(instruction->qemu, instruction->after ? on_load : on_load_at_end, code);
        if (instruction->after)
            on_instruction(instruction->after, on_loaded, code);
        break;
    case DECODED_LEAVE:
        on_memory(instruction->qemu, on_leave, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_MEM_R, code);
        break;
    case DECODED_SPACE:
        on_instruction(instruction->qemu, on_space, code);
        break;
    case DECODED_TABLE:
        on_memory(instruction->qemu, on_table, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_R, code);
        break;
    case DECODED_SYSCALL:
        on_instruction(instruction->qemu, on_syscall, code);
        break;
    case DECODED_SYSRET:
        on_instruction(instruction->qemu, run_sysret, code);
        break;
    case DECODED_INTERRUPTS:
        on_instruction(instruction->qemu, on_int, code);
        break;
    case DECODED_INTERRUPT_RETURN:
        on_instruction(instruction->qemu, on_interrupt_return, code);
        break;
    default:
        break;
    }
}

bool facts_want(const struct instruction *instruction)
{
    return instruction->code->kind != DECODED_OTHER && instruction->code->kind != DECODED_REMAP;
}

void facts_watch_block(struct qemu_plugin_tb *translated, uint64_t start)
{
    if (!qemu_plugin_register_vcpu_discon_cb && idt_has(start))
        qemu_plugin_register_vcpu_tb_exec_cb(translated, on_handler, QEMU_PLUGIN_CB_R_REGS,
                                             (void *)(uintptr_t)start);
}

/* Frames below rsp are gone: code may have popped a return address without a return. */
void facts_settle(unsigned cpu)
{
    follow_sp(cpu, registers_general(cpu, REGISTERS_SP));
}

void facts_reset(unsigned cpu)
{
    cpus[cpu].loaded_from = 0;
    cpus[cpu].int_code = NULL;
    follow_reset(cpu);
}

void facts_end(void)
{
    ended = true;
}
#endif
