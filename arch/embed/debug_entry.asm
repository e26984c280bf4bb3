; SPDX-License-Identifier: BSD-2-Clause
;
; Debug trap gate for a kernel without one of its own (core/pitot.h): entered by the CPU, interrupts
; off, on the stack of debug traps. A trap that is not Pitot's, as a program's step is, continues at
; embed_debug_next as if the CPU had entered there, on the stack that it would have had. May not be
; watched: all of it runs while watches are armed.
;
; GS may be a program's in a trap of a program, and in the kernel's own trap entries, to which a
; program can delay one (docs/programs.md, on `mov ss`).

%include "offsets.inc"
%include "arch/x86_64/unwind/cfi.inc"
%include "arch/x86_64/entry/frame.inc"

extern embed_debug_border
extern embed_debug_trap
extern embed_debug_other
extern embed_debug_next
extern embed_gate
extern embed_gate_size

section .text.nowatch progbits alloc exec nowrite align=16
bits 64

align 16
cfi_start embed_debug_entry, trap
        push 0
        cfi_offset 48
        push VECTOR_DEBUG
        cfi_offset 56
        save_registers
        mov rdi, rsp
        test byte [rsp + REGS_CS], 3
        jnz .border
        mov rax, [rsp + REGS_IP]
        cmp rax, embed_debug_entry
        je .border
        sub rax, [rel embed_gate]
        cmp rax, [rel embed_gate_size]
        jb .border
        call embed_debug_trap
        test al, al
        jnz .restore
        jmp .not_ours
.border:
        call embed_debug_border
        test al, al
        jnz .restore
.not_ours:
        mov rdi, rsp
        call embed_debug_other
        xor eax, eax
.restore:                               ; nothing below changes the flags before the jump
        restore_registers
        jz .other
        lea rsp, [rsp + 16]
        cfi_offset 40
        iretq
.other:
        cfi_offset 56
        mov rsp, [rsp + 8]              ; embed_debug_other has put there where it copied the frame
        cfi_offset 40
        jmp [rel embed_debug_next]
cfi_end
