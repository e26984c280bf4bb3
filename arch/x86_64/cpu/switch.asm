; SPDX-License-Identifier: BSD-2-Clause
;
; From one thread to another: arch_switch, and where a new thread begins. What lies on the stack of
; a thread that does not run, as struct switched of switch.c has it:
;
;       return address into the caller of arch_switch
;       rbp
;       rbx, r12, r13, r14, r15     the rest of what a call preserves (System V ABI)
;       flags                       <- the stack pointer that was stored
;
; The frame is set up as a compiler would, so that frame pointers lead through it as well as the
; table. Task context, interrupts off.

%include "arch/x86_64/unwind/cfi.inc"

section .text progbits alloc exec nowrite align=16
bits 64

; IN rdi = where the old stack pointer goes, rsi = the new one. CLOBBERS what a call may. One
; instruction changes stacks, and both have the same shape then, so a chain is whole on either side.
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

; The outermost frame of every thread but the boot thread: arch_switch "returns" here the first
; time, after the nop, so that the place is inside this routine also for an unwinder that takes it
; for a return address; the thread's first function is in rbx. As in boot/entry_high.asm, a zero
; above the call's frame stops a walk by frame pointers.
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

; Where a thread that does not run stands.
section .rodata progbits alloc noexec nowrite align=8
global switch_resume:data 8
switch_resume:
        dq ..@switched
