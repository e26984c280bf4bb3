; SPDX-License-Identifier: BSD-2-Clause
;
; A trap that does not come back, and its handler's way out of it: entries_suite.c.

%include "arch/x86_64/unwind/cfi.inc"

MACHINE_CHECK equ 18

section .text progbits alloc exec nowrite align=16
bits 64

; IN rdi = flags to set; interrupts off. A machine check, as the CPU would tell of one, with the
; kernel's GS. OUT rax = what entries_come_back was given.
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

; As above, but GS is a program's, as between `syscall` and `swapgs`.
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

; IN rdi. Continues after the call of one of those routines, with the handler's frames left. Does
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
