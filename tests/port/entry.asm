; SPDX-License-Identifier: BSD-2-Clause
;
; The second kernel at the addresses that it is linked for. The rule for the outermost frame ends
; call chains. Runs once, interrupts off.

%include "offsets.inc"
%include "arch/x86_64/unwind/cfi.inc"

extern port_main, stack_task

section .text progbits alloc exec nowrite align=16
bits 64

cfi_start port_enter, return
        cfi_outermost
        mov rsp, stack_task + STACK_PAGES_SIZE
        xor ebp, ebp
        push rbp
        push rbp
        cfi_offset 16
        call port_main
        ud2
cfi_end
