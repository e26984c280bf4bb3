; SPDX-License-Identifier: BSD-2-Clause
;
; The kernel reads where it must not: user_suite.c's page fault handler resumes it after the access.

%include "arch/x86_64/unwind/cfi.inc"

section .text progbits alloc exec nowrite align=16
bits 64

; IN rdi = an address to read. The fault's handler resumes at user_touched. OUT rax = 0 if it did.
align 16
cfi_start user_touch, return
        mov eax, 1
        mov rcx, [rdi]
        ret
global user_touched
user_touched:
        xor eax, eax
        ret
cfi_end

; IN rdi = an address to call, whose code returns. As above.
align 16
cfi_start user_call, return
        sub rsp, 8
        cfi_offset 16
        call rdi
        mov eax, 1
        add rsp, 8
        cfi_offset 8
        ret
cfi_end
