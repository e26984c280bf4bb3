; SPDX-License-Identifier: BSD-2-Clause
;
; A function with every kind of branch, and the list of its branches in the order in which it takes
; them, for tests/kernel/branches_suite.c.

%include "arch/x86_64/unwind/cfi.inc"

section .text progbits alloc exec nowrite align=16
bits 64

; Adds a taken branch to the list: %1 its label, %2 its target. Both are labels of the form ..@name.
%macro takes 2
[section .rodata]
        dq %1, %2
__?SECT?__
%endmacro

section .rodata progbits alloc noexec nowrite align=8
global branches_expected:data
branches_expected:
section .text

; Interrupts on. CLOBBERS what a call may. The caller handles int3.
align 16
cfi_start branches_known, return
        xor eax, eax
        jnz .never
..@short:
        jz ..@short_to
        takes ..@short, ..@short_to
        nop
..@short_to:
        jnz near .never
..@near:
        jz near ..@near_to
        takes ..@near, ..@near_to
        nop
..@near_to:
        mov ecx, 3
..@again:
        nop
..@loop:
        loop ..@again
        takes ..@loop, ..@again
        takes ..@loop, ..@again
..@rcx:
        jrcxz ..@rcx_to
        takes ..@rcx, ..@rcx_to
        nop
..@rcx_to:
        inc ecx
        jrcxz .never
..@jump:
        jmp short ..@jump_to
        takes ..@jump, ..@jump_to
        nop
..@jump_to:
        jmp near ..@far_enough
        takes ..@jump_to, ..@far_enough
        nop
..@far_enough:
        call branches_leaf
        takes ..@far_enough, branches_leaf
        takes branches_leaf_back, ..@called
..@called:
        int3
        lea rax, [rel branches_leaf]
..@by_register:
        call rax
        takes ..@by_register, branches_leaf
        takes branches_leaf_back, ..@by_memory
..@by_memory:
        call [rel leaf_pointer]
        takes ..@by_memory, branches_leaf
        takes branches_leaf_back, ..@called_all
..@called_all:
        lea rax, [rel ..@jumped]
..@jump_register:
        jmp rax
        takes ..@jump_register, ..@jumped
        nop
..@jumped:
        jmp [rel jump_pointer]
        takes ..@jumped, ..@string
        nop
..@string:
        lea rdi, [rel branches_memory]
        mov ecx, 5
        rep stosb
        rep stosb
        mov rdx, rsp
        mov eax, ss
        push rax
        cfi_offset 16
        push rdx
        cfi_offset 24
        pushfq
        cfi_offset 32
        mov eax, cs
        push rax
        cfi_offset 40
        lea rax, [rel ..@returned]
        push rax
        cfi_offset 48
..@return:
        iretq
        takes ..@return, ..@returned
        cfi_offset 8
..@returned:
        mov eax, cs
        push rax
        cfi_offset 16
        lea rax, [rel ..@returned_far]
        push rax
        cfi_offset 24
..@return_far:
        retfq
        takes ..@return_far, ..@returned_far
        cfi_offset 8
..@returned_far:
        sti
..@shadowed:
        jmp short ..@shadowed_to
        takes ..@shadowed, ..@shadowed_to
        nop
..@shadowed_to:
        sti
        nop
        mov eax, ss
        mov ss, eax
..@stack_shadowed:
        jmp short ..@stack_shadowed_to
        takes ..@stack_shadowed, ..@stack_shadowed_to
        nop
..@stack_shadowed_to:
        pause
..@paused:
        jmp short ..@paused_to
        takes ..@paused, ..@paused_to
        nop
..@paused_to:
        pushfq
        cfi_offset 16
        popfq
        cfi_offset 8
        ret
.never:
        ud2
cfi_end

cfi_start branches_leaf, return
        nop
branches_leaf_back:
        ret 0
cfi_end

global branches_known_end
branches_known_end:

section .rodata
global branches_expected_end:data
branches_expected_end:
leaf_pointer: dq branches_leaf
jump_pointer: dq ..@string

section .bss nobits alloc noexec write align=16
branches_memory: resb 16
