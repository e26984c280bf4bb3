; SPDX-License-Identifier: BSD-2-Clause
;
; A trap that does not return, and how its handler leaves it: entries_suite.c.

%include "arch/x86_64/unwind/cfi.inc"

MACHINE_CHECK equ 18

section .text progbits alloc exec nowrite align=16
bits 64

; IN rdi = flags to set; interrupts off. A machine check, as raised by the CPU, with the kernel's
; GS. OUT rax = the argument of entries_come_back.
align 16
cfi_start entries_check, return
        cfi_push_all_saved
        mov [rel stack], rsp
        push rdi
        cfi_offset 64
        popfq
        cfi_offset 56
        int MACHINE_CHECK
        ud2
cfi_end

; As above, but GS is the program's, as between `syscall` and `swapgs`.
align 16
cfi_start entries_check_of_program, return
        cfi_push_all_saved
        mov [rel stack], rsp
        push rdi
        cfi_offset 64
        swapgs
        popfq
        cfi_offset 56
        int MACHINE_CHECK
        ud2
cfi_end

; IN rdi. Continues after the call of one of those routines, and abandons the handler's frames. Does
; not return.
align 16
cfi_start entries_come_back, return
        cfi_outermost
        mov rsp, [rel stack]
        mov rax, rdi
        pop r15
        pop r14
        pop r13
        pop r12
        pop rbx
        pop rbp
        ret
cfi_end

section .bss
align 8
stack:  resq 1
