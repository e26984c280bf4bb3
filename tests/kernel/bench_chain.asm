; SPDX-License-Identifier: BSD-2-Clause
;
; For tests/kernel/bench.c: a call chain of known length.

%include "arch/x86_64/unwind/cfi.inc"

section .text progbits alloc exec nowrite align=16
bits 64

; IN rdi = function, rsi = its argument. OUT rax = its result. Chains end here, as in the outermost
; frame: by its call frame information, and by the frame pointer 0.
cfi_start bench_outermost, return
        push rbp
        cfi_offset 16
        cfi_saved rbp, 16
        cfi_outermost
        xor ebp, ebp
        mov rax, rdi
        mov edi, esi
        call rax
        cfi_restored rip
        pop rbp
        cfi_restored rbp
        cfi_offset 8
        ret
cfi_end
