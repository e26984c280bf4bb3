/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A debugger's step: one instruction with the trap flag and without interrupts, both invisible to
 * the stepped code. Prepared in a stop, finished in the CPU's debug trap, or cancelled in the next
 * stop of any CPU or in the handler of a program's exception. Sources: Intel SDM vol. 3,
 * "Single-Step Exception Condition"; vol. 2, PUSHF, POPF, IRET, CLI, STI, SYSCALL, SYSRET.
 */
#include "arch/cpu.h"
#include "arch/debugger.h"
#include "arch/memory.h"
#include "arch/program.h"
#include "arch/regs.h"
#include "arch/step.h"
#include "arch/watch.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/debug/stop.h"

/* An instruction's effect on the interrupt flag. */
enum kind {
    KEEPS,
    STORES, /* pushf */
    LOADS,  /* popf, iret; without effect in a program */
    CLEARS, /* cli */
    /* Emulated, as the CPU would not trap after them: */
    SETS,   /* sti: QEMU also runs the next instruction */
    PAUSES, /* pause: the same */
    HALTS,
    ENTERS, /* syscall: the trap flag is clear after it */
    LEAVES, /* sysret: the trap flag comes from r11 */
};

struct step {
    bool under_way;
    bool interrupts; /* the context's own interrupt flag */
    bool traps;      /* another user also steps the context */
    bool program;    /* the context is a program */
    bool compares;   /* data watches are off during the step, and `access` is valid */
    enum kind kind;
    uint64_t sp;               /* before the step */
    struct stop_access access; /* if `compares` */
};

/* [the CPU that prepares or cancels, while the owner is stopped; otherwise the owning CPU] */
static struct step steps[ARCH_CPUS_MAX];

#define PREFIX_OPERAND   0x66
#define PREFIX_REX       0x40 /* to 0x4f */
#define REX_W            0x08
#define INSTRUCTION_MOST 15
#define REPE             0xf3
#define PAUSE            0x90 /* after REPE */
#define TWO_BYTES        0x0f
#define IRET             0xcf
#define SYSCALL          0x05
#define SYSRET           0x07
#define SYSCALL_SIZE     2

static bool is_program(const struct regs *regs)
{
    return STOP_OWN_KERNEL && regs_user_mode(regs);
}

bool stop_step_read(unsigned cpu, const struct regs *regs, uintptr_t address, uint8_t *to,
                    size_t length)
{
    if (is_program(regs))
        return arch_user_read(space_of_cpu(cpu), address, to, length);
    return arch_debug_read(address, to, length) == length;
}

/* Recognises `syscall` and `sysret` that will succeed; otherwise the CPU raises the exception. */
static enum kind judge_border(unsigned cpu, const struct regs *regs, uintptr_t ip, uint8_t rex)
{
    bool program = is_program(regs);
    uint8_t byte;

    if (!STOP_OWN_KERNEL || !stop_step_read(cpu, regs, ip, &byte, 1))
        return KEEPS;
    if (byte == SYSCALL && program && ip + 1 == regs->ip + SYSCALL_SIZE)
        return ENTERS;
    if (byte == SYSRET && !program && rex & REX_W && regs->cx < ARCH_USER_END)
        return LEAVES;
    return KEEPS;
}

/*
 * Returns where the opcode is, after the prefixes that are in use before the instructions that are
 * recognised here. Stores the last prefix, or 0, in *last.
 */
static uintptr_t opcode_of(unsigned cpu, const struct regs *regs, uint8_t *last)
{
    uintptr_t ip = regs->ip;
    uint8_t byte;

    *last = 0;
    while (ip - regs->ip < INSTRUCTION_MOST && stop_step_read(cpu, regs, ip, &byte, 1) &&
           (byte == PREFIX_OPERAND || (byte & 0xf0) == PREFIX_REX)) {
        *last = byte;
        ip++;
    }
    return ip;
}

/* Stores in *next the end of an instruction that does not leave or enter a program. */
static enum kind judge(unsigned cpu, const struct regs *regs, uintptr_t *next)
{
    uint8_t byte, rex;
    uintptr_t ip = opcode_of(cpu, regs, &rex);

    if (!stop_step_read(cpu, regs, ip, &byte, 1))
        return KEEPS; /* it will fault */
    *next = ip + 1;
    switch (byte) {
    case TWO_BYTES:
        return judge_border(cpu, regs, ip + 1, rex);
    case 0x9c:
        return STORES;
    case 0x9d:
    case IRET:
        return LOADS;
    case REPE:
        *next = ip + 2;
        return stop_step_read(cpu, regs, ip + 1, &byte, 1) && byte == PAUSE ? PAUSES : KEEPS;
    case 0xf4:
        return is_program(regs) ? KEEPS : HALTS;
    case 0xfa:
        return CLEARS;
    case 0xfb:
        return is_program(regs) ? KEEPS : SETS;
    default:
        return KEEPS;
    }
}

/* Emulates the instruction; false if the CPU must run it. */
static bool step_is_made(enum kind kind, struct regs *regs, uintptr_t next)
{
    if (kind == SETS)
        regs->flags |= FLAGS_INTERRUPT;
    if (kind == SETS || kind == PAUSES || kind == HALTS) /* as if an interrupt had ended it */
        regs->ip = next;
    else if (STOP_OWN_KERNEL && kind == ENTERS)
        user_make_syscall(regs, regs->ip + SYSCALL_SIZE);
    else if (STOP_OWN_KERNEL && kind == LEAVES)
        user_make_sysret(regs);
    else
        return false;
    return true;
}

/* True in a program, and at `sysret` or an `iret` to a program's code selector. */
static bool runs_program(unsigned cpu, const struct regs *regs)
{
    uint8_t byte, prefix, selector;
    uintptr_t ip = opcode_of(cpu, regs, &prefix);

    if (regs_user_mode(regs))
        return true;
    if (!stop_step_read(cpu, regs, ip, &byte, 1))
        return false;
    if (byte == TWO_BYTES)
        return stop_step_read(cpu, regs, ip + 1, &byte, 1) && byte == SYSRET;
    return byte == IRET && stop_step_read(cpu, regs, regs->sp + sizeof(uint64_t), &selector, 1) &&
           selector & RING_OF_SELECTOR;
}

bool arch_stop_steps(unsigned cpu)
{
    return STOP_OWN_KERNEL || !runs_program(cpu, arch_stopped_regs(cpu));
}

bool stop_step_prepare(unsigned cpu, struct regs *regs)
{
    struct step *step = &steps[cpu];
    uintptr_t next = regs->ip;
    enum kind kind = judge(cpu, regs, &next);

    if (step_is_made(kind, regs, next))
        return false;
    *step = (struct step){.under_way = true,
                          .interrupts = regs->flags & FLAGS_INTERRUPT,
                          .traps = regs->flags & FLAGS_TRAP,
                          .program = is_program(regs),
                          .compares = arch_step_excludes_watches(),
                          .kind = kind,
                          .sp = regs->sp};
    if (step->compares)
        stop_access_prepare(&step->access, cpu, regs);
    debugreg_step(cpu);
    regs->flags = (regs->flags & ~FLAGS_INTERRUPT) | FLAGS_TRAP;
    return true;
}

void stop_step_here(uint64_t flags)
{
    unsigned cpu = arch_cpu_id();

    steps[cpu] = (struct step){.under_way = true, .interrupts = flags & FLAGS_INTERRUPT};
    debugreg_step(cpu);
}

/* Corrects the low 16 bits of the pushed flags, for either operand size. */
static void mend_stored(const struct step *step, const struct regs *regs)
{
    uint64_t flags = 0;

    if (!stop_step_read(arch_cpu_id(), regs, regs->sp, (uint8_t *)&flags, sizeof(uint16_t)))
        return;
    regs_set_flag(&flags, FLAGS_INTERRUPT, step->interrupts);
    regs_set_flag(&flags, FLAGS_TRAP, step->traps);
    if (is_program(regs))
        arch_user_write(space_of_cpu(arch_cpu_id()), regs->sp, &flags, sizeof(uint16_t));
    else
        arch_debug_write(regs->sp, (const uint8_t *)&flags, sizeof(uint16_t));
}

/*
 * A step of `mov ss` also runs the next instruction (Intel SDM vol. 3, "Masking Exceptions and
 * Interrupts When Switching Stacks"); if that is a `syscall`, its flags are in r11.
 */
static uint64_t *mended_flags(const struct step *step, struct regs *regs)
{
    return step->program && !regs_user_mode(regs) ? &regs->r11 : &regs->flags;
}

bool stop_step_is_under_way(unsigned cpu)
{
    return steps[cpu].under_way;
}

bool stop_step_finish(struct regs *regs, unsigned *fired)
{
    struct step *step = &steps[arch_cpu_id()];

    if (!step->under_way)
        return false;
    if (step->compares)
        *fired |= stop_access_made(&step->access, regs);
    step->under_way = false;
    if (step->kind == STORES)
        mend_stored(step, regs);
    if (step->kind != LOADS)
        regs_set_flag(mended_flags(step, regs), FLAGS_TRAP, step->traps);
    if (step->kind != LOADS || step->program)
        regs_set_flag(mended_flags(step, regs), FLAGS_INTERRUPT,
                      step->kind != CLEARS && step->interrupts);
    return true;
}

/* Restores the flags only of the stepped context. */
bool stop_step_cancel(unsigned cpu, struct regs *regs)
{
    struct step *step = &steps[cpu];

    if (!step->under_way)
        return false;
    step->under_way = false;
    debugreg_step_over(cpu);
    if (!(regs->flags & FLAGS_TRAP) || regs->sp != step->sp ||
        regs_user_mode(regs) != step->program)
        return false;
    regs_set_flag(&regs->flags, FLAGS_TRAP, step->traps);
    regs_set_flag(&regs->flags, FLAGS_INTERRUPT, step->interrupts);
    if (debugreg_is_stepped(cpu, regs))
        debugreg_step(cpu);
    return true;
}
