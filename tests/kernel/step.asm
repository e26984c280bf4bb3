; SPDX-License-Identifier: BSD-2-Clause
;
; Short runs of instructions with the trap flag set, for tests/kernel/debugreg_code_suite.c. The
; first trap comes after the instruction that follows the popfq which sets TF; the popfq which
; clears it traps once more. Interrupts are off.

%include "arch/x86_64/unwind/cfi.inc"

FLAGS_TF equ 1 << 8

section .text progbits alloc exec nowrite align=16
bits 64

%macro step_begin 0
        pushfq
        cfi_offset 16
        or qword [rsp], FLAGS_TF
        popfq
        cfi_offset 8
%endmacro

%macro step_end 0
        pushfq
        cfi_offset 16
        and qword [rsp], ~FLAGS_TF
        popfq
        cfi_offset 8
%endmacro

cfi_start step_through_nops, return
        step_begin
        times 5 nop
        step_end
        ret
cfi_end

cfi_start step_through_string, return
        mov ecx, 16
        lea rdi, [rel step_memory]
        xor eax, eax
        step_begin
        rep stosb
        step_end
        ret
cfi_end

cfi_start step_through_mov_ss, return
        mov eax, ss
        step_begin
        nop
        nop
        mov ss, eax
        nop
        step_end
        ret
cfi_end

; IN rdi = where to store
cfi_start step_through_store, return
        step_begin
        nop
        mov dword [rdi], 1
        nop
        step_end
        ret
cfi_end

section .bss nobits alloc noexec write align=16
step_memory: resb 16
