/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel's traps and its switch of threads, in an order of registers of its own. Every
 * vector up to 47 has a stub of 16 bytes; trap_serve (idt.c) gets a struct trap_frame.
 */
        .section .text.gate, "ax"
        .globl trap_table
        .type trap_table, @function
        .balign 16
trap_table:
        .cfi_startproc simple
        .cfi_signal_frame
        .cfi_def_cfa rsp, 40
        .cfi_offset rip, -40
        .cfi_offset rsp, -16
        .set vector, 0
        .rept 48
        .balign 16
        .if vector == 8 || (vector >= 10 && vector <= 14) || vector == 17
        .cfi_def_cfa_offset 48
        .else
        .cfi_def_cfa_offset 40
        pushq $0
        .cfi_def_cfa_offset 48
        .endif
        pushq $vector
        .cfi_def_cfa_offset 56
        jmp trap_common
        .set vector, vector + 1
        .endr
        .cfi_endproc
        .size trap_table, . - trap_table

        .type trap_common, @function
trap_common:
        .cfi_startproc simple
        .cfi_signal_frame
        .cfi_def_cfa rsp, 56
        .cfi_offset rip, -40
        .cfi_offset rsp, -16
        pushq %rax
        pushq %rbx
        pushq %rcx
        pushq %rdx
        pushq %rsi
        pushq %rdi
        pushq %rbp
        pushq %r8
        pushq %r9
        pushq %r10
        pushq %r11
        pushq %r12
        pushq %r13
        pushq %r14
        pushq %r15
        .cfi_def_cfa rsp, 176
        .cfi_offset rbp, -112
        movq %rsp, %rdi
        call trap_serve
        popq %r15
        popq %r14
        popq %r13
        popq %r12
        popq %r11
        popq %r10
        popq %r9
        popq %r8
        popq %rbp
        popq %rdi
        popq %rsi
        popq %rdx
        popq %rcx
        popq %rbx
        popq %rax
        .cfi_def_cfa rsp, 56
        .cfi_restore rbp
        addq $16, %rsp
        .cfi_def_cfa rsp, 40
        iretq
        .cfi_endproc
        .size trap_common, . - trap_common

        .text
/* void thread_switch(uint64_t *from, uint64_t to): stacks, and what a call keeps. */
        .globl thread_switch
        .type thread_switch, @function
        .balign 16
thread_switch:
        .cfi_startproc
        pushq %rbp
        .cfi_def_cfa_offset 16
        .cfi_offset rbp, -16
        pushq %rbx
        pushq %r12
        pushq %r13
        pushq %r14
        pushq %r15
        .cfi_def_cfa_offset 56
        movq %rsp, (%rdi)
        movq %rsi, %rsp
        popq %r15
        popq %r14
        popq %r13
        popq %r12
        popq %rbx
        .cfi_def_cfa_offset 16
        popq %rbp
        .cfi_def_cfa_offset 8
        .cfi_restore rbp
        ret
        .cfi_endproc
        .size thread_switch, . - thread_switch

/* A thread's first instruction: rbx is its function. Nobody has called it. */
        .globl thread_begin
        .type thread_begin, @function
thread_begin:
        .cfi_startproc
        .cfi_undefined rip
        xorl %ebp, %ebp
        call *%rbx
        call thread_end
        ud2
        .cfi_endproc
        .size thread_begin, . - thread_begin
