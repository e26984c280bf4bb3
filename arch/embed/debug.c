/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debug traps in another kernel, and what is served as one; replaces arch/x86_64/entry. Watches are
 * off in all of them.
 */
#include "arch/cpu.h"
#include "arch/embed.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/entry/trap.h"
#include "core/host.h"

#define CPU_FRAME_WORDS 5 /* ip, cs, flags, sp, ss */

void (*embed_debug_late)(struct regs *regs);
uint64_t embed_gs_base[ARCH_CPUS_MAX]; /* in the kernel. [owning CPU] */

void arch_embed_note_gs(void)
{
    embed_gs_base[arch_cpu_id()] = cpu_read_msr(MSR_GS_BASE);
}

/*
 * Ends a step of a program whose trap was delayed until `syscall` had entered the kernel (Intel SDM
 * vol. 3, "Masking Exceptions and Interrupts When Switching Stacks"). Returns false if the trap is
 * none. Out of line, so that hits pay nothing for it.
 */
__attribute__((noinline)) static bool late_step_ends(const struct regs *regs)
{
    const struct pitot_step *step;

    if (!(cpu_read_dr6() & DR6_BS) || regs->flags & FLAGS_TRAP || !host.thread_step)
        return false;
    step = host.thread_step();
    if (!step || !step->on || step->traps)
        return false;
    cpu_write_dr6(DR6_CLEAR);
    return true;
}

/* Watches are off. A nested trap, for example in an NMI handler, leaves DR7 unchanged. */
static bool serve_kernel(struct percpu *self, struct regs *regs)
{
    uint64_t dr6, cs = regs->cs;
    bool ours;

    self->watch_depth++;
    dr6 = cpu_read_dr6(); /* the kernel's own traps leave DR6 unchanged */
    ours = dr6 & percpu_live() || (dr6 & DR6_BS && self->steps); /* a hit, or a debugger's step */
    if (ours) {
        regs->cs = KERNEL_CODE_SELECTOR;
        debug_trap_inside(regs);
        if (embed_debug_late)
            embed_debug_late(regs);
        regs->cs = cs;
    }
    self->watch_depth--;
    return ours || late_step_ends(regs);
}

/*
 * A program's own steps and `int1` are for the kernel, also a step that comes with a hit or a step
 * of Pitot's: DR6 then shows the step alone. BS may be left from an earlier trap, so the program's
 * flag must be set. No debugger stops in a program.
 */
static bool serve_program(struct percpu *self, struct regs *regs)
{
    uint64_t dr6 = cpu_read_dr6(), cs = regs->cs;
    unsigned fired = (unsigned)dr6 & percpu_live();
    bool ours, steps;

    self->watch_depth++;
    regs->cs = USER_CODE_SELECTOR;
    ours = dr6 & DR6_BS && debug_program_stepped(regs);
    steps = dr6 & DR6_BS && regs->flags & FLAGS_TRAP && !ours;
    if (fired || ours)
        cpu_write_dr6(steps ? DR6_CLEAR | DR6_BS : DR6_CLEAR);
    if (debugreg_reachable(fired))
        debugreg_watch_fired(debugreg_reachable(fired), regs);
    if (fired & debugreg.executes)
        regs->flags |= FLAGS_RESUME;
    regs->cs = cs;
    self->watch_depth--;
    return (fired || ours) && !steps;
}

static bool serve(struct percpu *self, struct regs *regs)
{
    return regs->cs & RING_OF_SELECTOR ? serve_program(self, regs) : serve_kernel(self, regs);
}

/* The handler may have armed other watches, so DR7 comes from the shadow. */
__attribute__((section(".text.nowatch"))) static void arm_again(const struct percpu *self)
{
    if (self->watch_depth == 0)
        cpu_write_dr7(self->dr7);
}

/*
 * From debug_entry.asm. Of this code, only these functions and arm_again run, and only the
 * latter's last loads read, with watches armed.
 */
__attribute__((section(".text.nowatch"))) bool embed_debug_trap(struct regs *regs)
{
    bool ours;

    cpu_write_dr7(DR7_OFF);
    ours = serve_kernel(percpu_self(), regs);
    arm_again(percpu_self());
    return ours;
}

/*
 * From debug_entry.asm, if GS may be a program's: the stack tells the CPU, and the trap is served
 * with the GS base that the kernel has there. In QEMU a program that steps itself over a watched
 * access traps twice, the second time at the gate's first instruction, and the second frame has
 * overwritten the program's.
 */
__attribute__((section(".text.nowatch"))) bool embed_debug_border(struct regs *regs)
{
    unsigned cpu;
    uint64_t gs;
    bool ours;

    cpu_write_dr7(DR7_OFF);
    cpu = arch_embed_debug_cpu(regs);
    gs = cpu_read_msr(MSR_GS_BASE);
    cpu_write_msr(MSR_GS_BASE, embed_gs_base[cpu]);
    if (regs->ip == (uintptr_t)embed_debug_entry)
        host_panic("a step over a watched access: QEMU has lost where the program was");
    ours = serve(&percpu[cpu], regs);
    cpu_write_msr(MSR_GS_BASE, gs);
    arm_again(&percpu[cpu]);
    return ours;
}

/*
 * From debug_entry.asm, if the trap is not Pitot's. Copies the CPU's part of the frame to where it
 * would be without Pitot: the kernel's own code may hit a watch, whose trap overwrites the stack of
 * debug traps. The gate finds the copy by `error`.
 */
__attribute__((section(".text.nowatch"))) void embed_debug_other(struct regs *regs)
{
    unsigned cpu;
    uint64_t *to;

    cpu_write_dr7(DR7_OFF);
    cpu = arch_embed_debug_cpu(regs);
    to = (uint64_t *)(arch_embed_next_stack(cpu, regs) & ~(uintptr_t)15) - CPU_FRAME_WORDS;
    for (unsigned i = 0; i < CPU_FRAME_WORDS; i++)
        to[i] = (&regs->ip)[i];
    regs->error = (uintptr_t)to;
    arm_again(&percpu[cpu]);
}

static bool serve_frame(void *frame)
{
    struct regs regs = arch_embed_regs(frame);
    bool debugged = embed_debug_late; /* a debugger that leaves may have changed registers */
    bool ours = serve(percpu_self(), &regs);

    if (ours && (debugged || regs_user_mode(&regs))) /* ... a step, r11 */
        arch_embed_regs_return(&regs, frame);
    else
        arch_embed_flags_return(&regs, frame);
    return ours;
}

__attribute__((section(".text.nowatch"))) int pitot_debug_trap(void *frame)
{
    bool ours;

    if (!percpu[0].self) /* before pitot_init */
        return 0;
    cpu_write_dr7(DR7_OFF);
    ours = serve_frame(frame);
    arm_again(percpu_self());
    return ours;
}

/* rbx keeps the kernel's stack pointer. */
static void on_debug_stack(void (*serve)(struct regs *regs), struct regs *regs)
{
    uintptr_t top = arch_embed_debug_stack(arch_cpu_id());

    __asm__ volatile("movq %%rsp, %%rbx\n\tmovq %0, %%rsp\n\tcall *%2\n\tmovq %%rbx, %%rsp"
                     : "+&a"(top), "+D"(regs)
                     : "r"(serve)
                     : "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
}

/* A fatal trap may have come in a debug trap, whose stack is in use then. */
void arch_embed_as_trap(void *frame, void (*serve)(struct regs *regs))
{
    uint64_t flags = arch_irq_save();
    struct percpu *self = percpu_self();
    bool known = host.frame && frame;
    struct regs regs = known ? arch_embed_regs(frame) : (struct regs){.flags = FLAGS_FIXED};

    self->watch_depth++;
    cpu_write_dr7(DR7_OFF);
    arch_embed_note_gs();
    if (self->watch_depth > 1)
        serve(&regs);
    else
        on_debug_stack(serve, &regs);
    if (known)
        arch_embed_regs_return(&regs, frame);
    self->watch_depth--;
    if (self->watch_depth == 0)
        cpu_write_dr7(self->dr7);
    arch_irq_restore(flags);
}

/* --- In place of the entries of arch/x86_64. --- */

/* No trap interrupts a stub here. */
const char trap_stubs[1];

/* Never called: no program's trap is moved. */
struct regs *trap_land(struct regs *frame)
{
    return frame;
}

_Noreturn void trap_fatal(struct regs *regs)
{
    (void)regs;
    host_panic("Pitot: a debug trap that nothing explains");
}
