/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one place where assembly learns C layouts and constants: compiled to assembly and never
 * linked. The Makefile turns each string that begins with @ into an `equ` of offsets.inc.
 */
#include <stddef.h>

#include "arch/x86_64/percpu.h"
#include "arch/x86_64/regs.h"
#include "arch/x86_64/stacks.h"
#include "arch/x86_64/vectors.h"

#define EQU(name, value) __asm__ volatile(".ascii \"@" #name " equ %c0\"" : : "i"(value))

void offsets(void);

void offsets(void)
{
    EQU(REGS_VECTOR, offsetof(struct regs, vector));
    EQU(PERCPU_DR7, offsetof(struct percpu, dr7));
    EQU(PERCPU_WATCH_DEPTH, offsetof(struct percpu, watch_depth));
    EQU(VECTOR_DEBUG, VECTOR_DEBUG);
    EQU(VECTOR_NMI, VECTOR_NMI);
    EQU(VECTOR_DOUBLE_FAULT, VECTOR_DOUBLE_FAULT);
    EQU(VECTOR_MACHINE_CHECK, VECTOR_MACHINE_CHECK);
    EQU(STACK_PAGES_SIZE, sizeof(struct stack_pages));
    EQU(TRAP_STUB_SIZE, TRAP_STUB_SIZE);
}
