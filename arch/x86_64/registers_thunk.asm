; SPDX-License-Identifier: BSD-2-Clause
;
; All general registers of a place that is no trap: what a tracepoint's event gets that asked for
; registers. Jumped to by the stubs of arch/x86_64/site.h, any context.

%include "offsets.inc"
%include "arch/x86_64/cfi.inc"

section .text progbits alloc exec nowrite align=16
bits 64

; IN rax = the function to call with the arguments that are in registers; [rsp] = the return address
; into the observed code. It finds a struct regs above its own return address: ip and sp as they are
; behind that call, bit 1 of flags clear as in every snapshot, ax 0 (it is never live at a call).
; CLOBBERS what a function may.
align 16
cfi_start arch_registers_thunk, return
        push rbp
        cfi_offset 16
        cfi_saved rbp, 16
        mov rbp, rsp
        cfi_from rbp, 16
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
        mov r11, [rbp]
        mov [rsp + REGS_BP], r11
        pushfq
        pop r11
        and r11, ~2
        mov [rsp + REGS_FLAGS], r11
        mov r11, [rbp + 8]
        mov [rsp + REGS_IP], r11
        lea r11, [rbp + 16]
        mov [rsp + REGS_SP], r11
        mov qword [rsp + REGS_CS], KERNEL_CODE_SELECTOR
        mov qword [rsp + REGS_SS], KERNEL_DATA_SELECTOR
        mov qword [rsp + REGS_VECTOR], REGS_REWOUND
        xor r11d, r11d
        mov [rsp + REGS_ERROR], r11
        mov [rsp + REGS_AX], r11
        call rax
..@registers_returned:
        lea rsp, [rsp + REGS_SIZE]
        pop rbp
        cfi_from rsp, 8
        cfi_restored rbp
        ret
cfi_end

; Where the observing function returns to: how it knows that it was called by way of the thunk.
section .rodata progbits alloc noexec nowrite align=8
global registers_return:data (8)
registers_return:
        dq ..@registers_returned
