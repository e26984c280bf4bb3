/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel's traps and thread switch, in its own order of registers. Vectors 0 to 47 have
 * stubs of 16 bytes; trap_serve (cpu.c) gets a struct trap_frame.
 */
        .file "ports/c/entry.S" /* otherwise an object of a random name */
#include "cfi_gas.inc"

        .section .text.gate, "ax"
        .balign 16
        cfi_start trap_table, trap
        .set vector, 0
        .rept 48
        .balign 16
        .if vector == 8 || (vector >= 10 && vector <= 14) || vector == 17
        cfi_offset 48
        .else
        cfi_offset 40
        pushq $0
        cfi_offset 48
        .endif
        pushq $vector
        cfi_offset 56
        jmp trap_common
        .set vector, vector + 1
        .endr
        cfi_end trap_table

        cfi_start trap_common, trap
        cfi_offset 56
        testb $3, 24(%rsp)              /* cs: GS is the program's */
        jz 1f
        swapgs
1:      cfi_push rax
        cfi_push rbx
        cfi_push rcx
        cfi_push rdx
        cfi_push rsi
        cfi_push rdi
        cfi_push rbp
        cfi_push r8
        cfi_push r9
        cfi_push r10
        cfi_push r11
        cfi_push r12
        cfi_push r13
        cfi_push r14
        cfi_push r15
        movq %rsp, %rdi
        cfi_call_trap trap_serve        /* PITOT 1 */
        cfi_pop r15
        cfi_pop r14
        cfi_pop r13
        cfi_pop r12
        cfi_pop r11
        cfi_pop r10
        cfi_pop r9
        cfi_pop r8
        cfi_pop rbp
        cfi_pop rdi
        cfi_pop rsi
        cfi_pop rdx
        cfi_pop rcx
        cfi_pop rbx
        cfi_pop rax
        addq $16, %rsp
        cfi_offset 40
        testb $3, 8(%rsp)
        jz 1f
        swapgs
1:      iretq
        cfi_end trap_common

        .text
/* void thread_switch(uint64_t *from, uint64_t to): switches stacks and callee-saved registers. */
        .balign 16
        cfi_start thread_switch, return
        cfi_push rbp
        cfi_push rbx
        cfi_push r12
        cfi_push r13
        cfi_push r14
        cfi_push r15
        movq %rsp, (%rdi)
        movq %rsi, %rsp
        cfi_pop r15
        cfi_pop r14
        cfi_pop r13
        cfi_pop r12
        cfi_pop rbx
        cfi_pop rbp
        ret
        cfi_end thread_switch

/* A thread's first instruction: rbx is its function. Has no caller. */
        cfi_start thread_begin, return
        cfi_outermost
        xorl %ebp, %ebp
        call *%rbx
        call thread_end
        ud2
        cfi_end thread_begin
