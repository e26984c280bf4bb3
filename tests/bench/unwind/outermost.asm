; SPDX-License-Identifier: BSD-2-Clause
;
; For tests/bench/unwind/chain.c: ends the chains for every kind of unwinder. Frame pointers end at
; 0; all others end by the call frame information.

%include "arch/x86_64/unwind/cfi.inc"

section chain_text progbits alloc exec nowrite align=16
bits 64

; IN rdi = function, rsi = chain, edx = left. CLOBBERS what a C function may.
cfi_start chain_outermost, return
        push rbp
        cfi_offset 16
        cfi_saved rbp, 16
        cfi_outermost
        xor ebp, ebp
        mov rax, rdi
        mov rdi, rsi
        mov esi, edx
        call rax
        pop rbp
        ret
cfi_end
