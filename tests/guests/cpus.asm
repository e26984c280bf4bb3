; SPDX-License-Identifier: BSD-2-Clause
; The other CPUs of a guest (tests/guests/cpus.h), from real mode: each calls cpu_main with its
; number, from 1 on, on its own stack.
section .text progbits alloc exec nowrite align=16
extern gdt, pml4, idt_place, cpu_main
global cpus_awake, cpus_awake_end
bits 16
cpus_awake:                                     ; runs at 0x8000
        cli
        xor ax, ax
        mov ds, ax
        mov eax, 0x620                          ; as in boot.asm
        mov cr4, eax
        mov eax, pml4
        mov cr3, eax
        mov ecx, 0xc0000080
        mov eax, 0x101
        xor edx, edx
        wrmsr
        lgdt [0x8000 + .gdt - cpus_awake]
        mov eax, 0x80010001                     ; to 64-bit code at once
        mov cr0, eax
        jmp dword 8:begin
.gdt:   dw 55
        dd gdt
cpus_awake_end:

bits 64
global begin:function (begin.end - begin)
begin:  xor eax, eax
        mov ss, eax
        mov ds, eax
        mov es, eax
        mov edi, 1
        lock xadd [cpus_begun], edi
        imul esp, edi, 8192
        add esp, stacks
        lidt [abs idt_place]
        call cpu_main
.halt:  hlt
        jmp .halt
.end:

section .data progbits alloc noexec write align=4
global cpus_begun:data 4
cpus_begun:
        dd 1

section .bss nobits alloc noexec write align=4096
stacks: resb 4 * 8192
