; SPDX-License-Identifier: BSD-2-Clause
;
; Registers and flags across switches: the parts of tests/kernel/sched_suite.c that C cannot
; express. Task context, interrupts on.

%include "arch/x86_64/unwind/cfi.inc"

section .text progbits alloc exec nowrite align=16
bits 64

%define FLAG_ID (1 << 21)       ; has no effect
%define FLAGS   0x8c5           ; carry, parity, zero, sign and overflow
%define FLAG_DF (1 << 10)       ; also set while no other code runs

%macro keep 2
        push %1
        cfi_offset %2
        cfi_saved %1, %2
%endmacro

%macro give_back 2
        pop %1
        cfi_offset %2 - 8
        cfi_restored %1
%endmacro

%macro keep_all 0
        keep rbp, 16
        mov rbp, rsp
        keep rbx, 24
        keep r12, 32
        keep r13, 40
        keep r14, 48
        keep r15, 56
%endmacro

%macro give_all_back 0
        give_back r15, 56
        give_back r14, 48
        give_back r13, 40
        give_back r12, 32
        give_back rbx, 24
        give_back rbp, 16
%endmacro

; Adds to rax if register %1 is not rdi + %2.
%macro count_wrong 2
        lea rcx, [rdi + %2]
        xor edx, edx
        cmp %1, rcx
        setne dl
        add rax, rdx
%endmacro

; Calls a function that may switch. IN rdi = a pattern; rsi = FLAG_ID or 0; rdx = the function; rcx,
; r8 = its arguments. OUT rax = how many of the registers that a call preserves, and the flag, have
; changed.
align 16
cfi_start sched_call_with, return
        keep_all
        push rdi
        cfi_offset 64
        push rsi
        cfi_offset 72
        pushfq
        cfi_offset 80
        and dword [rsp], ~FLAG_ID
        or [rsp], rsi
        popfq
        cfi_offset 72
        lea rbx, [rdi + 1]
        lea r12, [rdi + 2]
        lea r13, [rdi + 3]
        lea r14, [rdi + 4]
        lea r15, [rdi + 5]
        sub rsp, 8
        cfi_offset 80
        mov rdi, rcx
        mov rsi, r8
        call rdx
        add rsp, 8
        cfi_offset 72
        xor eax, eax
        pushfq
        cfi_offset 80
        pop rdx
        cfi_offset 72
        and edx, FLAG_ID
        pop rsi
        cfi_offset 64
        pop rdi
        cfi_offset 56
        cmp rdx, rsi
        setne al
        count_wrong rbx, 1
        count_wrong r12, 2
        count_wrong r13, 3
        count_wrong r14, 4
        count_wrong r15, 5
        lea rcx, [rsp + 40]
        xor edx, edx
        cmp rbp, rcx
        setne dl
        add rax, rdx
        give_all_back
        ret
cfi_end

; Spins with a pattern in every register and most flags set, and calls nothing, so only a switch
; from outside can change them. IN rdi = a pattern; rsi = a word that ends the spinning when it is
; not 0. OUT rax = how many registers and flags were changed. The words on the stack: pattern,
; address, and the count.
align 16
cfi_start sched_spin_with, return
        keep_all
        push rdi
        cfi_offset 64
        push rsi
        cfi_offset 72
        push byte 0
        cfi_offset 80
.again:
        mov rdi, [rsp + 16]
        lea rbx, [rdi + 1]
        lea r12, [rdi + 2]
        lea r13, [rdi + 3]
        lea r14, [rdi + 4]
        lea r15, [rdi + 5]
        lea r8, [rdi + 6]
        lea r9, [rdi + 7]
        lea r10, [rdi + 8]
        lea r11, [rdi + 9]
        lea rdx, [rdi + 10]
        lea rsi, [rdi + 11]
        mov eax, FLAGS | FLAG_DF | (1 << 9) | (1 << 1)
        push rax
        cfi_offset 88
        popfq
        cfi_offset 80
        mov ecx, 20000
.spin:                          ; neither lea nor jrcxz changes a flag
        lea rcx, [rcx - 1]
        jrcxz .look
        jmp .spin
.look:
        pushfq
        cfi_offset 88
        cld
        xor eax, eax
        mov rcx, rdx
        pop rdx
        cfi_offset 80
        and edx, FLAGS | FLAG_DF
        cmp edx, FLAGS | FLAG_DF
        setne al
        mov rdx, rcx
        lea rcx, [rdi + 10]
        cmp rdx, rcx
        setne dl
        movzx edx, dl
        add rax, rdx
        count_wrong rbx, 1
        count_wrong r12, 2
        count_wrong r13, 3
        count_wrong r14, 4
        count_wrong r15, 5
        count_wrong r8, 6
        count_wrong r9, 7
        count_wrong r10, 8
        count_wrong r11, 9
        count_wrong rsi, 11
        add [rsp], rax
        mov rsi, [rsp + 8]
        cmp qword [rsi], 0
        je .again
        pop rax
        cfi_offset 72
        add rsp, 16
        cfi_offset 56
        give_all_back
        ret
cfi_end
