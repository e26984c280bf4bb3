/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stops by the entries of Pitot's own kernel. By breakpoint instructions: the debugger's, one in
 * the code, or stop_landing, to which a trap or interrupt returns to leave the interrupted stack
 * before its CPU stops. Interrupts off.
 */
#include "arch/cpu.h"
#include "arch/debugger.h"
#include "arch/park.h"
#include "arch/unwind.h"
#include "arch/x86_64/debug/stop.h"
#include "arch/x86_64/entry/trap.h"
#include "arch/x86_64/entry/vectors.h"

#define INT3           0xcc
#define FETCH_OF_THERE 0x10u /* "Page-Fault Exception": instruction fetch */

static trap_handler *page_fault_before; /* changed with all other CPUs parked */

/* What the trap to stop_landing had interrupted. [the CPU that stops] */
static struct landed {
    uintptr_t ip;
    uint64_t flags;
    enum arch_stop why;
} landed[ARCH_CPUS_MAX];

extern const char stop_landing[]; /* below */

void stop_at_end(struct regs *regs, enum arch_stop why, bool at_breakpoint)
{
    uintptr_t ip = regs->ip;

    stop_enter(regs, why);
    stop_settle(regs, ip, at_breakpoint);
    watch_return(regs);
}

/* A trap from stop_landing is reported as the fault or interrupt that led to it. */
static bool stop_landed(unsigned cpu, struct regs *regs, enum arch_stop *why)
{
    if (regs->ip - 1 != (uintptr_t)stop_landing)
        return false;
    regs->ip = landed[cpu].ip;
    regs->flags = landed[cpu].flags;
    *why = landed[cpu].why;
    return true;
}

static void stop_land(struct regs *regs, enum arch_stop why)
{
    landed[arch_cpu_id()] = (struct landed){regs->ip, regs->flags, why};
    regs->ip = (uintptr_t)stop_landing;
    regs->flags &= ~(FLAGS_INTERRUPT | FLAGS_TRAP);
}

/* Ring 3 cannot run stop_landing, so for a program the CPU stops here. */
void arch_stop_interrupted(struct regs *regs)
{
    if (regs_user_mode(regs))
        arch_stop_here();
    else
        stop_land(regs, ARCH_STOP_BREAK);
}

/* True if another CPU has removed the breakpoint meanwhile: the original instruction then runs. */
static bool is_gone(uintptr_t address)
{
    uint8_t byte;

    return arch_debug_read(address, &byte, 1) == 1 && byte != INT3;
}

static void stop_break(struct regs *regs)
{
    unsigned cpu = arch_cpu_id();
    enum arch_stop why = ARCH_STOP_HIT;

    if (percpu_self()->watch_depth > 1)
        trap_fatal(regs);
    if (!stop_landed(cpu, regs, &why)) {
        if (stop_debugger()->owns(cpu, regs->ip - ARCH_BREAKPOINT_SIZE)) {
            regs->ip -= ARCH_BREAKPOINT_SIZE;
        } else if (is_gone(regs->ip - ARCH_BREAKPOINT_SIZE)) {
            regs->ip -= ARCH_BREAKPOINT_SIZE;
            watch_return(regs);
        } else {
            why = ARCH_STOP_HERE;
        }
    }
    stop_at_end(regs, why, why == ARCH_STOP_HIT);
}

__asm__(".pushsection .text\n\t"
        ".type stop_landing, @function\n"
        "stop_landing:\n\t"
        ".cfi_startproc\n\t"
        ".cfi_undefined rip\n\t"
        "int3\n\t"
        "ud2\n\t"
        ".cfi_endproc\n\t"
        ".size stop_landing, . - stop_landing\n\t"
        ".popsection");

void arch_stop_here(void)
{
    __asm__ volatile("int3" : : : "memory");
}

/* The program's instruction has not run: its step ends in the exception's handler. */
static void stop_program_trapped(struct regs *regs)
{
    if (stop_step_cancel(arch_cpu_id(), regs))
        arch_stop_here();
}

/*
 * gdb's `call` returns to a breakpoint on the stack, which is not executable. The page fault's
 * frame is on that stack, so the fault returns to stop_landing, which traps on a stack of its own.
 */
static void stop_page_fault(struct regs *regs)
{
    unsigned cpu = arch_cpu_id();

    if (regs->error & FETCH_OF_THERE && stop_debugger() && stop_debugger()->owns(cpu, regs->ip))
        stop_land(regs, ARCH_STOP_HIT);
    else if (page_fault_before)
        page_fault_before(regs);
    else
        trap_fatal(regs);
}

void stop_entries_attach(void (*late)(struct regs *regs))
{
    static bool attached; /* changed with all other CPUs parked */
    bool attach = late;

    trap_set_late(late);
    if (attach == attached)
        return;
    attached = attach;
    stop_line_attach(attach);
    trap_set_handler(VECTOR_BREAKPOINT, attach ? stop_break : NULL);
    trap_set_program_handler(attach ? stop_program_trapped : NULL);
    if (attach)
        page_fault_before = trap_set_handler(VECTOR_PAGE_FAULT, stop_page_fault);
    else
        trap_set_handler(VECTOR_PAGE_FAULT, page_fault_before);
}

#define DIVERT_ROOM 8192

bool arch_stop_divert(unsigned cpu, void (*function)(void), struct regs *kept)
{
    struct regs *regs = arch_stopped_regs(cpu);
    const struct arch_stack *stack;
    uintptr_t sp;

    if (!regs || regs_user_mode(regs)) /* a program's stack pointer may be anything */
        return false;
    stack = arch_stack_find(regs->sp);
    if (!stack || regs->sp < stack->low + DIVERT_ROOM || !(regs->flags & FLAGS_INTERRUPT) ||
        percpu[cpu].interrupt_depth > 0)
        return false;
    *kept = *regs;
    sp = (regs->sp & ~(uintptr_t)15) - sizeof(uint64_t);
    *(uint64_t *)sp = regs->ip; /* as a call does, so that chains continue */
    regs->sp = sp;
    regs->ip = (uintptr_t)function;
    regs->flags &= ~(FLAGS_TRAP | FLAGS_DIRECTION | FLAGS_RESUME);
    return true;
}
