; SPDX-License-Identifier: BSD-2-Clause
;
; Functions of shapes that C does not reliably produce, for tests/kernel/proof_shapes.c.

%include "arch/x86_64/unwind/cfi.inc"

extern shape_never_returning

section .text progbits alloc exec nowrite align=16
bits 64

%macro save 2
        push %1
        cfi_offset %2
        cfi_saved %1, %2
%endmacro

%macro restore 2
        pop %1
        cfi_offset %2 - 8
        cfi_restored %1
%endmacro

; IN rdi = the function's argument, rsi = the function. OUT rax = its result. Jumps to the function,
; which returns to our caller.
cfi_start shape_tail_calling, return
        inc rdi
        jmp rsi
cfi_end

; IN rdi = to, rsi = from, rdx = bytes. OUT rax = one of the bytes. A leaf without a frame.
cfi_start shape_string, return
        mov rcx, rdx
        rep movsb
        movzx eax, byte [rdi - 1]
        ret
cfi_end

; IN rdi. OUT rax = rdi + 6. A leaf that moves the stack pointer repeatedly.
cfi_start shape_pushing, return
        push rdi
        cfi_offset 16
        push 1
        cfi_offset 24
        push 2
        cfi_offset 32
        push 3
        cfi_offset 40
        pop rax
        cfi_offset 32
        add rax, [rsp]
        add rsp, 8
        cfi_offset 24
        add rax, [rsp]
        lea rsp, [rsp + 8]
        cfi_offset 16
        pop rdi
        cfi_offset 8
        add rax, rdi
        ret
cfi_end

; IN rdi. OUT rax = rdi. With a frame pointer, and left by `leave`.
cfi_start shape_framed, return
        push rbp
        cfi_offset 16
        cfi_saved rbp, 16
        mov rbp, rsp
        sub rsp, 640
        cfi_offset 656
        mov [rsp], rdi
        mov rax, [rsp]
        leave
        cfi_restored rbp
        cfi_offset 8
        ret
cfi_end

; A breakpoint exception, in a leaf.
cfi_start shape_exception, return
        int3
        ret
cfi_end

%macro shape_try_end 0
        add rsp, 8
        cfi_offset 56
        restore r15, 56
        restore r14, 48
        restore r13, 40
        restore r12, 32
        restore rbx, 24
        restore rbp, 16
        ret
%endmacro

; IN rdi = a function, rsi = its argument. Returns when the function returns or calls shape_escape.
cfi_start shape_try, return
        save rbp, 16
        mov rbp, rsp
        save rbx, 24
        save r12, 32
        save r13, 40
        save r14, 48
        save r15, 56
        sub rsp, 8
        cfi_offset 64
        mov [rel shape_tried_at], rsp
        mov rax, rdi
        mov rdi, rsi
        call rax
        shape_try_end
cfi_end

; IN rdi = argument of shape_never_returning. The call is the last instruction, and the next routine
; begins directly after it: what holds at the return address does not hold at the call.
cfi_start shape_never_returning_caller, return
        save rbp, 16
        mov rbp, rsp
        sub rsp, 16
        cfi_offset 32
        call shape_never_returning
cfi_end

; Leaves all frames up to and including the last call of shape_try.
cfi_start shape_escape, return
        mov rsp, [rel shape_tried_at]
        cfi_offset 64
        cfi_saved rbp, 16
        cfi_saved rbx, 24
        cfi_saved r12, 32
        cfi_saved r13, 40
        cfi_saved r14, 48
        cfi_saved r15, 56
        shape_try_end
cfi_end

section .bss nobits alloc noexec write align=8
shape_tried_at: resq 1
