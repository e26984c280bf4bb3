/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How another kernel's entries stop for a debugger (arch/x86_64/debug/stop.h): at the end of debug
 * traps, and in the interrupts that poll the debugger's line or call pitot_stand. Interrupts and
 * watches are off. May not trap.
 */
#include "arch/debugger.h"
#include "arch/cpu.h"
#include "arch/embed.h"
#include "arch/memory.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/debug/stop.h"
#include "arch/x86_64/smp/rendezvous.h"

/* The stop in which the current debug trap ends. [owning CPU] */
static struct {
    bool is, at_breakpoint;
    enum arch_stop why;
} ends[ARCH_CPUS_MAX];

static void (*at_end)(struct regs *regs); /* of stop.c; NULL: no debugger. As stop_entries_attach */

/* The first reason counts, as in a trap that the stop would have left at once. */
void stop_at_end(struct regs *regs, enum arch_stop why, bool at_breakpoint)
{
    unsigned cpu = arch_cpu_id();

    (void)regs;
    if (ends[cpu].is)
        return;
    ends[cpu].is = true;
    ends[cpu].why = why;
    ends[cpu].at_breakpoint = at_breakpoint;
}

/* Called at the end of each of Pitot's debug traps, after all handlers. */
static void trap_ends(struct regs *regs)
{
    unsigned cpu = arch_cpu_id();
    uintptr_t ip;

    arch_embed_note_gs();
    for (;;) {
        if (!ends[cpu].is && at_end && arch_stop_is_due(cpu))
            at_end(regs);
        if (!ends[cpu].is)
            return;
        ends[cpu].is = false;
        ip = regs->ip;
        stop_enter(regs, ends[cpu].why);
        stop_settle(regs, ip, ends[cpu].at_breakpoint);
    }
}

void stop_entries_attach(void (*late)(struct regs *regs))
{
    at_end = late;
    embed_debug_late = late ? trap_ends : NULL;
}

/* The interrupt can be masked, so it comes in no debug trap; the next tick requests the stop. */
void stop_look_again(struct regs *regs)
{
    (void)regs;
}

/* The trap comes after the instruction that follows `popfq`, and leaves the caller's flags. */
void arch_embed_stop_here(uint64_t flags)
{
    stop_step_here(flags);
    __asm__ volatile("pushfq\n\torq %0, (%%rsp)\n\tpopfq\n\tnop"
                     :
                     : "i"(FLAGS_TRAP)
                     : "memory", "cc");
    arch_irq_restore(flags);
}

void arch_stop_here(void)
{
    arch_embed_stop_here(arch_irq_save());
}

/* The interrupt handler stops when it polls the line. */
void arch_stop_interrupted(struct regs *regs)
{
    (void)regs;
    rendezvous_ask(arch_cpu_id(), RENDEZVOUS_STOP);
}

bool arch_embed_is_debugged(void)
{
    return stop_debugger();
}

static bool can_stop(const void *frame)
{
    struct regs regs;

    if (!stop_debugger() || percpu_self()->stopped_regs)
        return false;
    regs = arch_embed_regs(frame);
    return !regs_user_mode(&regs);
}

bool arch_embed_listen(void *frame)
{
    unsigned cpu = arch_cpu_id();

    if (!can_stop(frame) || stop_step_is_under_way(cpu))
        return false;
    stop_hear();
    if (!arch_stop_is_due(cpu))
        return false;
    arch_embed_as_trap(frame, rendezvous_serve);
    return true;
}

static void stop_dead(struct regs *regs)
{
    stop_enter(regs, ARCH_STOP_DEAD);
}

void arch_embed_stop_dead(void *frame)
{
    if (can_stop(frame))
        arch_embed_as_trap(frame, stop_dead);
}

/* --- Memory that `mapped` reports: in place of kernel/x86_64/memory/stop_memory.c. --- */

/* Excludes the last byte of all: the kernel may compute the address after a byte. */
static bool is_there(uintptr_t address)
{
    return arch_canonical(address) && address + 1 != 0 && arch_mapped(address, 1);
}

size_t arch_debug_read(uintptr_t address, uint8_t *to, size_t length)
{
    size_t done = 0;

    while (done < length && is_there(address + done)) {
        to[done] = *(const volatile uint8_t *)(address + done);
        done++;
    }
    return done;
}

/* The kernel does not report read-only pages, so write protection is briefly off. */
bool arch_debug_write(uintptr_t address, const uint8_t *from, size_t length)
{
    uint64_t cr0 = cpu_read_cr0();

    if (cpu_read_cr4() & CR4_CET)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!is_there(address + i) || arch_executable(address + i))
            return false;
    cpu_write_cr0(cr0 & ~CR0_WP);
    for (size_t i = 0; i < length; i++)
        *(volatile uint8_t *)(address + i) = from[i];
    cpu_write_cr0(cr0);
    return true;
}

/* The trap enters through the kernel's own gate, and could come in the middle of a hit. */
bool arch_breakpoint_is_instruction(void)
{
    return false;
}

/* Which functions the kernel's debug traps call, only the kernel knows. */
enum arch_seen arch_execution_seen(uintptr_t address)
{
    return arch_embed_in_gate(address) ? ARCH_SEEN_ENTRY : ARCH_SEEN_ALWAYS;
}

const char *arch_breakpoint_write(uintptr_t address, uint8_t *old)
{
    (void)address, (void)old;
    return "registers stand in for breakpoint instructions";
}

void arch_breakpoint_restore(uintptr_t address, uint8_t old)
{
    (void)address, (void)old;
}
