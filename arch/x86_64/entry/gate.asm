; SPDX-License-Identifier: BSD-2-Clause
;
; Gates: the code that an enabled site calls (arch/site.h). Any context.

%include "offsets.inc"
%include "arch/x86_64/unwind/cfi.inc"

; If the caller had interrupts on, a pending interrupt arrives one instruction after `sti` (Intel
; SDM vol. 2, "STI"), after `ret`, so it interrupts the caller.
%macro gate_leave 0
        test byte [rbp - 8 + 1], 1 << (9 - 8)
        jz %%off
        leave
        cfi_from rsp, 8
        cfi_restored rbp
        sti
        ret
%%off:
        cfi_from rbp, 16
        cfi_saved rbp, 16
        leave
        cfi_from rsp, 8
        cfi_restored rbp
        ret
%endmacro

; The second instruction turns interrupts off. If an interrupt arrives before it, the code restarts
; at the call (gate_back_out of kernel/x86_64/entry/trap.c, which relies on two one-byte
; instructions). A struct arch_place is pushed downwards from the return address.
%macro gate_enter 0
        pushfq
        cfi_offset 16
        cli
        pop rax
        cfi_offset 8
        push rbp
        cfi_offset 16
        cfi_saved rbp, 16
        mov rbp, rsp
        cfi_from rbp, 16
        push rax
        push r9
        push r8
        push rcx
        push rdx
        push rsi
%endmacro

section .text progbits alloc exec nowrite align=16
bits 64

; IN rdi = a struct arch_gated, rsi, rdx, rcx, r8, r9 = arguments. Calls the struct's function with
; the struct, the place and a null pointer for the registers. CLOBBERS the caller-saved registers.
align 16
cfi_start arch_gate, return
        gate_enter
        mov rsi, rsp
        xor edx, edx
        call [rdi]
        gate_leave
cfi_end

; Like arch_gate, but also passes a struct regs: ip and sp as after the call, bit 1 of flags clear
; as in every snapshot, ax 0 (it is never live at a call).
align 16
cfi_start arch_gate_registers, return
        gate_enter
        lea rsp, [rsp - REGS_SIZE]
        mov [rsp + REGS_DI], rdi
        mov [rsp + REGS_SI], rsi
        mov [rsp + REGS_DX], rdx
        mov [rsp + REGS_CX], rcx
        mov [rsp + REGS_R8], r8
        mov [rsp + REGS_R9], r9
        mov [rsp + REGS_R10], r10
        mov [rsp + REGS_R11], r11
        mov [rsp + REGS_BX], rbx
        mov [rsp + REGS_R12], r12
        mov [rsp + REGS_R13], r13
        mov [rsp + REGS_R14], r14
        mov [rsp + REGS_R15], r15
        and eax, ~2
        mov [rsp + REGS_FLAGS], rax
        mov rax, [rbp]
        mov [rsp + REGS_BP], rax
        mov rax, [rbp + 8]
        mov [rsp + REGS_IP], rax
        lea rax, [rbp + 16]
        mov [rsp + REGS_SP], rax
        mov qword [rsp + REGS_CS], KERNEL_CODE_SELECTOR
        mov qword [rsp + REGS_SS], KERNEL_DATA_SELECTOR
        mov qword [rsp + REGS_VECTOR], REGS_REWOUND
        xor eax, eax
        mov [rsp + REGS_ERROR], rax
        mov [rsp + REGS_AX], rax
        mov rdx, rsp
        lea rsi, [rsp + REGS_SIZE]
        call [rdi]
        gate_leave
cfi_end
