; SPDX-License-Identifier: BSD-2-Clause
;
; Thread switch, and the start of a thread. The stored stack pointer of a thread that does not run
; is the address of a struct switched (switch.c); call chains by frame pointers and by the unwind
; table both pass through it. Task context, interrupts off.

%include "arch/x86_64/unwind/cfi.inc"

section .text progbits alloc exec nowrite align=16
bits 64

; IN rdi = where to store the old stack pointer, rsi = the new one. CLOBBERS the caller-saved
; registers. One instruction changes stacks, between two equal layouts, so a call chain is complete
; on either side.
align 16
cfi_start arch_switch, return
        cfi_push_saved rbp, 16
        mov rbp, rsp
        cfi_push_saved rbx, 24
        cfi_push_saved r12, 32
        cfi_push_saved r13, 40
        cfi_push_saved r14, 48
        cfi_push_saved r15, 56
        pushfq
        cfi_offset 64
        mov [rdi], rsp
        mov rsp, rsi
        lea rbp, [rsp + 48]
..@switched:
        popfq
        cfi_offset 56
        cfi_pop_all_saved
        ret
cfi_end

; The outermost frame of every thread but the boot thread: the first arch_switch "returns" here,
; after the nop, so that the address is inside this routine even for an unwinder that takes it for a
; return address; rbx holds the first function. As in boot/entry_high.asm, a zero above the call's
; frame stops a walk by frame pointers.
align 16
cfi_start thread_start, return
        cfi_outermost
        nop
        xor ebp, ebp
        push rbp
        push rbp
        cfi_offset 16
        call rbx
        ud2
cfi_end

; The address at which a thread that does not run will resume.
section .rodata progbits alloc noexec nowrite align=8
global switch_resume:data 8
switch_resume:
        dq ..@switched
