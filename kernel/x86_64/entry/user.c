/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Programs, for trap_entry.asm (docs/programs.md). On the stack of the program's thread. Source:
 * Intel SDM vol. 3, "Fast System Calls in 64-Bit Mode"; vol. 2, SYSCALL and SYSRET.
 */
#include "kernel/x86_64/entry/user.h"

#include "arch/cpu.h"
#include "arch/memory.h"
#include "arch/program.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/entry/trap.h"
#include "kernel/x86_64/user.h"

/* `sysret` adds 8 for ss and 16 for cs, `syscall` 8 for ss. */
#define STAR ((uint64_t)(USER_DATA_SELECTOR - 8) << 48 | (uint64_t)KERNEL_CODE_SELECTOR << 32)

_Static_assert(USER_CODE_SELECTOR == USER_DATA_SELECTOR + 8, "sysret counts so");
_Static_assert(KERNEL_DATA_SELECTOR == KERNEL_CODE_SELECTOR + 8, "syscall counts so");

/* Cleared by `syscall`. AC disables SMAP; NT makes an `iretq` return from a nested task. */
#define FLAGS_MASKED                                                                               \
    (FLAGS_TRAP | FLAGS_INTERRUPT | FLAGS_DIRECTION | FLAGS_ALIGNMENT | FLAGS_NESTED)

/* The bits of r11 that `sysret` loads. */
#define FLAGS_OF_SYSRET 0x3c7fd7ull

static struct arch_user_handlers handlers; /* set at boot */

void arch_user_set_handlers(const struct arch_user_handlers *with)
{
    handlers = *with;
}

/* The result is the same on all CPUs. */
static bool has_syscall(void)
{
    return cpu_id(CPUID_EXTENDED, 0).eax >= CPUID_EXTENDED_FEATURES &&
           (cpu_id(CPUID_EXTENDED_FEATURES, 0).edx & CPUID_EXTENDED_EDX_SYSCALL);
}

const char *arch_user_missing(void)
{
    return has_syscall() ? NULL : "the CPU has no `syscall` (CPUID 80000001h, EDX, bit 11)";
}

/* Without `syscall` its MSRs may not exist either. */
void user_init_cpu(void)
{
    cpu_write_msr(MSR_KERNEL_GS_BASE, 0); /* the program's GS base after the first swapgs */
    cpu_write_msr(MSR_FS_BASE, 0);
    if (!has_syscall()) {
        cpu_write_msr(MSR_EFER, EFER_LME | EFER_LMA | EFER_NXE);
        return;
    }
    cpu_write_msr(MSR_STAR, STAR);
    cpu_write_msr(MSR_LSTAR, (uintptr_t)syscall_entry);
    cpu_write_msr(MSR_FMASK, FLAGS_MASKED);
    cpu_write_msr(MSR_EFER, EFER_SCE | EFER_LME | EFER_LMA | EFER_NXE);
}

static void user_leave(struct regs *regs)
{
    handlers.leave(regs);
    debug_leave(regs);
}

void user_trap(struct regs *regs, bool exception)
{
    if (exception)
        handlers.fault(regs);
    user_leave(regs);
}

/*
 * Returns false if the exit must use `iretq`: `sysret` loads rip from rcx and flags from r11,
 * clears RF, and raises its exceptions in ring 0 on the program's stack (docs/programs.md).
 */
bool user_syscall(struct regs *regs)
{
    cpu_interrupts_on();
    handlers.call(regs);
    cpu_interrupts_off();
    user_leave(regs);
    return regs->cx == regs->ip && regs->ip < ARCH_USER_END && regs->r11 == regs->flags &&
           !(regs->flags & (FLAGS_TRAP | FLAGS_RESUME));
}

void user_make_syscall(struct regs *regs, uintptr_t next)
{
    regs->cx = next;
    regs->r11 = regs->flags & ~FLAGS_RESUME;
    regs->flags &= ~(FLAGS_MASKED | FLAGS_RESUME);
    regs->ip = (uintptr_t)syscall_entry;
    regs->cs = KERNEL_CODE_SELECTOR;
    regs->ss = KERNEL_DATA_SELECTOR;
}

void user_make_sysret(struct regs *regs)
{
    regs->ip = regs->cx;
    regs->flags = (regs->r11 & FLAGS_OF_SYSRET) | FLAGS_FIXED;
    regs->cs = USER_CODE_SELECTOR;
    regs->ss = USER_DATA_SELECTOR;
}

_Noreturn void arch_user_begin(uintptr_t ip, uintptr_t sp)
{
    cpu_interrupts_off();
    arch_check(ip >= ARCH_USER_START && ip < ARCH_USER_END);
    user_begin(ip, sp, percpu_self()->kernel_stack);
}
