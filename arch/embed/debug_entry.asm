; SPDX-License-Identifier: BSD-2-Clause
;
; Debug trap gate for a kernel that does not need one of its own (core/pitot.h): entered by the CPU,
; interrupts off, on pitot_debug_stack. A trap that is not Pitot's continues at embed_debug_next, as
; if the CPU had entered there. A program's trap does so at once, as GS may be the program's then.
; May not be watched, as all of it is executed while watches are armed.

%include "offsets.inc"
%include "arch/x86_64/unwind/cfi.inc"

extern pitot_debug_trap
extern embed_debug_next

; Error code and vector of a struct pitot_regs occupy 16 bytes below the CPU's frame.
%define CPU_FRAME 40
%define ABOVE     (CPU_FRAME + 16)
%define CS_SAVED  8

section .text.nowatch progbits alloc exec nowrite align=16
bits 64

align 16
cfi_start pitot_debug_entry, trap
        test byte [rsp + CS_SAVED], 3
        jnz .next
        push 0
        cfi_offset CPU_FRAME + 8
        push VECTOR_DEBUG
        cfi_offset ABOVE
        push rdi
        push rsi
        push rdx
        push rcx
        push rax
        push r8
        push r9
        push r10
        push r11
        push rbx
        push rbp
        push r12
        push r13
        push r14
        push r15
        cfi_offset REGS_SIZE
        cfi_saved rbp, REGS_SIZE - REGS_BP
        cfi_saved rbx, REGS_SIZE - REGS_BX
        cfi_saved r12, REGS_SIZE - REGS_R12
        cfi_saved r13, REGS_SIZE - REGS_R13
        cfi_saved r14, REGS_SIZE - REGS_R14
        cfi_saved r15, REGS_SIZE - REGS_R15
        cld
        mov rdi, rsp
        call pitot_debug_trap
        test eax, eax                   ; nothing below changes the flags before the jump
        pop r15
        pop r14
        pop r13
        pop r12
        pop rbp
        pop rbx
        pop r11
        pop r10
        pop r9
        pop r8
        pop rax
        pop rcx
        pop rdx
        pop rsi
        pop rdi
        cfi_offset ABOVE
        cfi_restored rbp
        cfi_restored rbx
        cfi_restored r12
        cfi_restored r13
        cfi_restored r14
        cfi_restored r15
        lea rsp, [rsp + 16]
        cfi_offset CPU_FRAME
        jz .next
        iretq
.next:
        jmp [rel embed_debug_next]
cfi_end
