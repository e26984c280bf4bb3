/* SPDX-License-Identifier: BSD-2-Clause */
/* Layouts for assembly. Never linked: the Makefile turns its strings with @ into offsets.inc. */
#include <stddef.h>

#include "arch/cpu.h"
#include "arch/regs.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/cpu/offset.h"
#include "arch/x86_64/entry/trap.h"
#include "arch/x86_64/smp/rendezvous.h"

#define EQU_REGS(field, name, ...) EQU(REGS_##name, offsetof(struct regs, field));

void offsets(void);

void offsets(void)
{
    EQU(REGS_VECTOR, offsetof(struct regs, vector));
    EQU(REGS_ERROR, offsetof(struct regs, error));
    REGISTERS_GENERAL(EQU_REGS)
    REGISTERS_OTHER(EQU_REGS)
    EQU(REGS_SIZE, sizeof(struct regs));
    EQU(REGS_REWOUND, REGS_REWOUND);
    EQU(REGS_SYSCALL, REGS_SYSCALL);
    EQU(REGS_SERVED, REGS_SERVED);
    EQU(KERNEL_CODE_SELECTOR, KERNEL_CODE_SELECTOR);
    EQU(KERNEL_DATA_SELECTOR, KERNEL_DATA_SELECTOR);
    EQU(USER_CODE_SELECTOR, USER_CODE_SELECTOR);
    EQU(USER_DATA_SELECTOR, USER_DATA_SELECTOR);
    EQU(FLAGS_TRAP, FLAGS_TRAP);
    EQU(FLAGS_VM, FLAGS_VM);
    EQU(FLAGS_OF_PROGRAM, FLAGS_FIXED | FLAGS_INTERRUPT);
    EQU(MSR_GS_BASE, MSR_GS_BASE);
    EQU(PERCPU_KERNEL_STACK, offsetof(struct percpu, kernel_stack));
    EQU(PERCPU_USER_SP, offsetof(struct percpu, user_sp));
    EQU(PERCPU_DR7, offsetof(struct percpu, dr7));
    EQU(PERCPU_DR7_FULL, offsetof(struct percpu, dr7_full));
    EQU(PERCPU_DR7_STEP, offsetof(struct percpu, dr7_step));
    EQU(PERCPU_STEPS, offsetof(struct percpu, steps));
    EQU(PERCPU_PROGRAM_STEPS, offsetof(struct percpu, program_steps));
    EQU(PERCPU_RENDEZVOUS_ASKED, offsetof(struct percpu, rendezvous_asked));
    EQU(RENDEZVOUS_STOP, RENDEZVOUS_STOP);
    EQU(PERCPU_WATCH_DEPTH, offsetof(struct percpu, watch_depth));
    EQU(VECTOR_DEBUG, VECTOR_DEBUG);
    EQU(VECTOR_NMI, VECTOR_NMI);
    EQU(VECTOR_BREAKPOINT, VECTOR_BREAKPOINT);
    EQU(VECTOR_DOUBLE_FAULT, VECTOR_DOUBLE_FAULT);
    EQU(VECTOR_MACHINE_CHECK, VECTOR_MACHINE_CHECK);
    EQU(TRAP_STUB_SIZE, TRAP_STUB_SIZE);
}
