; SPDX-License-Identifier: BSD-2-Clause
;
; Calls a function with the trap flag set, for tests/kernel/proof_step.c. Keeps a frame pointer, as
; chains pass through it.

%include "arch/x86_64/unwind/cfi.inc"

FLAGS_TF equ 1 << 8

section .text progbits alloc exec nowrite align=16
bits 64

; IN rdi = the function, which takes no arguments; rsi = where to store our return address. Every
; instruction traps, from the function's first to the popfq after the call.
cfi_start step_work, return
        push rbp
        cfi_offset 16
        cfi_saved rbp, 16
        mov rbp, rsp
        sub rsp, 16
        cfi_offset 32
        mov rax, [rbp + 8]
        mov [rsi], rax
        pushfq
        cfi_offset 40
        or qword [rsp], FLAGS_TF
        popfq
        cfi_offset 32
        call rdi
        pushfq
        cfi_offset 40
        and qword [rsp], ~FLAGS_TF
        popfq
        cfi_offset 32
        add rsp, 16
        cfi_offset 16
        pop rbp
        cfi_restored rbp
        cfi_offset 8
        ret
cfi_end
