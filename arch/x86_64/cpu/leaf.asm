; SPDX-License-Identifier: BSD-2-Clause
;
; Small routines that in C would move the stack pointer in inline assembly, which breaks unwind
; tables. Any context.

%include "arch/x86_64/unwind/cfi.inc"

section .text progbits alloc exec nowrite align=16
bits 64

; OUT rax = the flags. CLOBBERS nothing else.
align 16
cfi_start arch_flags, return
        pushfq
        cfi_offset 16
        pop rax
        cfi_offset 8
        ret
cfi_end

; OUT rax = the previous flags, for arch_irq_restore. CLOBBERS nothing else.
align 16
cfi_start arch_irq_save, return
        pushfq
        cfi_offset 16
        pop rax
        cfi_offset 8
        cli
        ret
cfi_end

; IN rdi = the result of arch_irq_save. CLOBBERS flags.
align 16
cfi_start arch_irq_restore, return
        test edi, 1 << 9
        jz .off
        sti
.off:
        ret
cfi_end

; CLOBBERS nothing.
align 16
cfi_start arch_irq_enable, return
        sti
        ret
cfi_end
