; SPDX-License-Identifier: BSD-2-Clause
;
; Entry point of a program: the stack holds argc, then argv (System V ABI, "Process
; Initialization"). main's result is the exit status. Runs in user mode, as does everything here.

%include "arch/x86_64/unwind/cfi.inc"

extern main

SYSCALL_EXIT equ 60

section .text progbits alloc exec nowrite align=16
bits 64

cfi_start _start, return
        cfi_outermost
        xor ebp, ebp
        mov rdi, [rsp]
        lea rsi, [rsp + 8]
        and rsp, -16
        call main
        mov edi, eax
        mov eax, SYSCALL_EXIT
        syscall
        ud2
cfi_end

; tools/symtab writes the symbol table here; the kernel reads it from the file.
section .symtab_blob progbits noalloc noexec nowrite align=8
        times 0x4000 db 0
