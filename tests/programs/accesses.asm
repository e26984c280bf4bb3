; SPDX-License-Identifier: BSD-2-Clause
;
; See accesses.h. In user mode. Each function: IN rdi = where to write, rsi = where to read, rdx =
; number of repetitions, if it repeats; CLOBBERS what a function may. Nothing else in them accesses
; the area.

%include "arch/x86_64/unwind/cfi.inc"

section .data
align 64
global access_area:data (access_area_end - access_area)
access_area:
        times 8 dq access_landed
access_area_end:

section .text progbits alloc exec nowrite align=16
bits 64

; %1 name, then the instruction
%macro access 2+
align 16
cfi_start access_%1, return
        mov rcx, rdx
        mov eax, 0x5a5a5a5a
        %2
        ret
cfi_end
%endmacro

; %1 name, %2 the stack pointer's value, then the instruction, whose stack is the area.
%macro access_by_stack 3+
align 16
cfi_start access_%1, return
        mov r11, rsp
        lea rsp, %2
        %3
        mov rsp, r11
        ret
cfi_end
%endmacro

access stosb,          rep stosb
access stosd,          rep stosd
access stosq,          rep stosq
access movsb,          rep movsb
access movsd,          rep movsd
access movsq,          rep movsq
access lodsb,          rep lodsb
access lodsd,          rep lodsd
access lodsq,          rep lodsq
access one_movsb,      movsb
access one_movsd,      movsd
access one_movsq,      movsq
access load_1,         mov dl, [rsi]
access load_2,         movzx edx, word [rsi]
access load_4,         mov edx, [rsi]
access load_8,         mov r8, [rsi]
access load_over,      mov rsi, [rsi]
access load_signed,    movsxd rdx, dword [rsi]
access store_1,        mov [rdi], al
access store_2,        mov [rdi], ax
access store_4,        mov [rdi], eax
access store_8,        mov [rdi], rax
access store_constant, mov dword [rdi], 0x12345678
access add_4,          add dword [rdi], byte 3
access exchange,       xchg [rdi], rax
access compare_8,      lock cmpxchg [rdi], rcx

; With a 32-bit displacement and an index.
align 16
cfi_start access_store_far, return
        mov r9, rdi
        neg r9
        sub r9, 0x1000
        mov [r9 + rdi * 2 + 0x1000], r8
        ret
cfi_end

; Overwrites its operand with the same value.
align 16
cfi_start access_compare_16, return
        push rbx
        cfi_offset 16
        xor eax, eax
        xor edx, edx
        xor ebx, ebx
        xor ecx, ecx
        lock cmpxchg16b [rdi]
        pop rbx
        cfi_offset 8
        ret
cfi_end

access_by_stack push,        [rdi + 8], push rdx
access_by_stack push_memory, [rdi + 8], push qword [rsi]
access_by_stack pop,         [rsi],     pop rdx
access_by_stack pop_memory,  [rsi],     pop qword [rdi]
access_by_stack call_memory, [rdi + 8], call [rsi]
access_by_stack jump_memory, [rdi + 8], jmp [rsi]
access_by_stack return,      [rsi],     ret

; Where the jumps in the last three continue.
align 16
cfi_start access_landed, return
        mov rsp, r11
        ret
cfi_end
