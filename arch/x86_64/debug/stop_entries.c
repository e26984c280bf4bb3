/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stops by the entries of Pitot's own kernel. By breakpoint instructions: the debugger's, one in
 * the code, or stop_landing, to which a trap or interrupt returns to leave the interrupted stack
 * before its CPU stops. Interrupts off.
 */
#include "arch/cpu.h"
#include "arch/debugger.h"
#include "arch/x86_64/debug/stop.h"
#include "arch/x86_64/entry/trap.h"

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

/* --- NMIs of the debugger's serial line, on the boot CPU. --- */

#define LINGER_NS 1000000000ull /* an NMI of the line may come this late */

static struct nmi_clock clock; /* the NMI clock before stop_listens; changed with all CPUs parked */

/* Takes the place of the NMI clock's `came`, which it calls. */
static bool stop_listens(void)
{
    stop_hear();
    return clock.came && clock.came();
}

/*
 * An unexplained NMI may be the line's, whose bytes an earlier NMI or a stop has just read. So this
 * stays the handler after the debugger has left: in the NMI in which it leaves, and in that which
 * waits for this one's end.
 */
static void stop_unexplained(struct regs *regs)
{
    if (percpu_self()->cpu != 0 || arch_clock_ns() - stop_heard_at() > LINGER_NS)
        trap_fatal(regs);
}

static void stop_line_attach(bool attach)
{
    struct nmi_clock listening = {.came = stop_listens};

    if (attach)
        clock = nmi_clock_now();
    listening.serve = clock.serve;
    nmi_set_clock(attach ? &listening : &clock);
    trap_set_handler(VECTOR_NMI, stop_unexplained);
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

/*
 * --- Requests that come too late: an NMI that requests a stop may interrupt a kernel debug trap or
 * #BP, on which the CPU cannot stop; if that trap returns to a loop with interrupts off, the
 * request is never repeated. So traps check for a request at their end (watch_return,
 * trap_entry.asm): the NMI sends a trap in its last instructions back to that check, and makes a
 * debug trap's handler return to it. ---
 */

static bool is_in_tail(uintptr_t ip)
{
    for (const struct trap_border *tail = trap_tails; tail < trap_tails_end; tail++)
        if (ip >= tail->from && ip < tail->to)
            return true;
    return false;
}

/* Changes the handler's return address, right below the frame, if its call has run. */
static void return_to_look(struct regs *frame, uintptr_t sp)
{
    uintptr_t *back = (uintptr_t *)frame - 1;

    if (sp > (uintptr_t)back)
        return;
    for (const struct debug_return *each = debug_returns; each < debug_returns_end; each++)
        if (*back == each->usual)
            *back = each->asked;
}

/*
 * A program's interrupts are on, so a tick repeats the request. A trap in its last instructions may
 * have decremented watch_depth: it is counted again, so that DR7 stays 0 after this NMI. A trap
 * that has not called its handler yet checks in the handler (stop_fired, stop_passed).
 */
void stop_look_again(struct regs *regs)
{
    struct percpu *self = percpu_self();
    struct regs *frame = trap_frame_of(regs->sp);

    if (!frame || regs_user_mode(frame) || frame->error)
        return;
    if (!is_in_tail(regs->ip)) {
        return_to_look(frame, regs->sp);
        return;
    }
    regs->ip = trap_look;
    regs->sp = (uintptr_t)frame;
    self->watch_depth = 2;
}
