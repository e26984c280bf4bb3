; SPDX-License-Identifier: BSD-2-Clause
;
; tests/boot/gdb_chain.t sends the CPU here from wherever gdb has stopped it, to get the kernel's
; own chain of that place. Only gdb jumps here, in any context, with interrupts off; it restores ip
; and flags itself.

%include "arch/x86_64/unwind/cfi.inc"

extern gdb_chain_unwind

STACK_SIZE equ 8192

section .text progbits alloc exec nowrite align=16
bits 64

; IN all registers as at the stop, except ip and flags, which gdb has stored in gdb_chain_stop. OUT
; the same, and the chain in gdb_chain. Stays at gdb_chain_done until gdb moves the CPU. The
; interrupted stack is not touched, as frames may also lie below rsp.
cfi_start gdb_chain_entry, return
        cfi_outermost
        mov [rel gdb_chain_sp], rsp
        lea rsp, [rel gdb_chain_stack + STACK_SIZE - 8] ; ss: filled in by gdb_chain_unwind
        push qword [rel gdb_chain_sp]
        sub rsp, 5 * 8                  ; flags, cs, ip, error, vector: likewise
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
        mov rdi, rsp                    ; struct regs
        call gdb_chain_unwind
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
        mov rsp, [rel gdb_chain_sp]
        jmp gdb_chain_done
cfi_end

cfi_start gdb_chain_done, return
        cfi_outermost
        jmp gdb_chain_done
cfi_end

section .bss nobits alloc noexec write align=16
gdb_chain_stack:        resb STACK_SIZE
gdb_chain_sp:           resq 1
