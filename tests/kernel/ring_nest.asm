; SPDX-License-Identifier: BSD-2-Clause
;
; Runs the outermost writer with the trap flag set, and calls nested ones, for
; tests/kernel/ring_nest.c. Interrupts are off.

%include "arch/x86_64/unwind/cfi.inc"

extern nest_outermost
extern nest_judge
extern nest_write
extern nest_written

FLAGS_TF equ 1 << 8
SAVED    equ 15 * 8             ; pushed by nest_intrude
FRAME    equ 40                 ; its iretq frame; the writer's number is above it

section .text progbits alloc exec nowrite align=16
bits 64
default rel

%macro trap_on 0
        pushfq
        or qword [rsp], FLAGS_TF
        popfq
%endmacro

; Calls nest_outermost, stepped. Returns once for each time that nest_judge returns true: the debug
; trap then restores the stack below nest_base to that of an earlier instruction, and resumes there.
; So nothing may be kept below it here.
cfi_start nest_step_outermost, return
        cfi_push_all_saved
        sub rsp, 8
        cfi_offset 64
        mov [nest_base], rsp
        trap_on
        call nest_outermost
..@outermost_done:
        call nest_judge
        test al, al
        jz .done
        trap_on
        nop                             ; its trap does not return here
        ud2
.done:
        add rsp, 8
        cfi_offset 56
        cfi_pop_all_saved
        ret
cfi_end

; "Called" by the debug trap, which has put a trap frame on the interrupted stack: returns to the
; interrupted instruction. IN [rsp + FRAME] = the number of the writer. CLOBBERS nothing.
cfi_start nest_intrude, trap
        push rax
        cfi_offset FRAME + 8
        push rbx
        cfi_offset FRAME + 16
        push rcx
        cfi_offset FRAME + 24
        push rdx
        cfi_offset FRAME + 32
        push rsi
        cfi_offset FRAME + 40
        push rdi
        cfi_offset FRAME + 48
        push rbp
        cfi_offset FRAME + 56
        push r8
        cfi_offset FRAME + 64
        push r9
        cfi_offset FRAME + 72
        push r10
        cfi_offset FRAME + 80
        push r11
        cfi_offset FRAME + 88
        push r12
        cfi_offset FRAME + 96
        push r13
        cfi_offset FRAME + 104
        push r14
        cfi_offset FRAME + 112
        push r15
        cfi_offset FRAME + SAVED
        cld
        mov edi, [rsp + SAVED + FRAME]
        call nest_write
..@nested_done:
        mov edi, [rsp + SAVED + FRAME]
        call nest_written
        pop r15
        cfi_offset FRAME + 112
        pop r14
        cfi_offset FRAME + 104
        pop r13
        cfi_offset FRAME + 96
        pop r12
        cfi_offset FRAME + 88
        pop r11
        cfi_offset FRAME + 80
        pop r10
        cfi_offset FRAME + 72
        pop r9
        cfi_offset FRAME + 64
        pop r8
        cfi_offset FRAME + 56
        pop rbp
        cfi_offset FRAME + 48
        pop rdi
        cfi_offset FRAME + 40
        pop rsi
        cfi_offset FRAME + 32
        pop rdx
        cfi_offset FRAME + 24
        pop rcx
        cfi_offset FRAME + 16
        pop rbx
        cfi_offset FRAME + 8
        pop rax
        cfi_offset FRAME
        iretq
cfi_end

section .rodata progbits alloc noexec nowrite align=8
global nest_done
nest_done:                      ; where stepped writers end: the outermost one, a nested one
        dq ..@outermost_done
        dq ..@nested_done

section .bss nobits alloc noexec write align=8
global nest_base
nest_base:      resq 1
