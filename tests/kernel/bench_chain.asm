; SPDX-License-Identifier: BSD-2-Clause
;
; For tests/kernel/bench.c: a call chain of known length.

%include "arch/x86_64/cfi.inc"

section .text progbits alloc exec nowrite align=16
bits 64

; IN rdi = function, rsi = its argument. OUT rax = its result. The frame pointer is 0 for the
; function, as for the outermost frame of all, so that chains end here.
cfi_start bench_outermost, return
        push rbp
        cfi_offset 16
        cfi_saved rbp, 16
        xor ebp, ebp
        mov rax, rdi
        mov edi, esi
        call rax
        pop rbp
        cfi_restored rbp
        cfi_offset 8
        ret
cfi_end
