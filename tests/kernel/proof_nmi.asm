; SPDX-License-Identifier: BSD-2-Clause
;
; Takes an NMI and leaves it without iretq, for tests/kernel/proof_interrupts.c: until the next
; iretq the CPU blocks further NMIs. On the debug trap's stack, interrupts off.

%include "offsets.inc"
%include "arch/x86_64/unwind/cfi.inc"

PATIENCE equ 10000000

section .text progbits alloc exec nowrite align=16
bits 64
default rel

; IN rdi = the local APIC's command register, esi = the command that sends this CPU an NMI. OUT al =
; 1; 0 if none arrived.
cfi_start nmi_take, return
        cfi_push_saved rbp, 16
        mov rbp, rsp
        cfi_push_saved rbx, 24
        cfi_push_saved r12, 32
        cfi_push_saved r13, 40
        cfi_push_saved r14, 48
        cfi_push_saved r15, 56
        mov [nmi_taken_at], rsp
        mov ecx, PATIENCE
        mov [rdi], esi
.wait:
        pause
        dec ecx
        jnz .wait
        xor eax, eax
        jmp nmi_taken
cfi_end

; Called by the NMI's handler: returns to the caller of nmi_take. Restores the trap entry's depth,
; as the entry's exit will not run.
cfi_start nmi_leave, return
        dec dword [gs:PERCPU_WATCH_DEPTH]
        mov eax, 1
        mov rsp, [nmi_taken_at]
        jmp nmi_taken
cfi_end

cfi_start nmi_taken, return
        cfi_offset 56
        cfi_saved rbp, 16
        cfi_saved rbx, 24
        cfi_saved r12, 32
        cfi_saved r13, 40
        cfi_saved r14, 48
        cfi_saved r15, 56
        cfi_pop_all_saved
        ret
cfi_end

section .bss nobits alloc noexec write align=8
nmi_taken_at:   resq 1
