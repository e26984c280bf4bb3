; SPDX-License-Identifier: BSD-2-Clause
;
; The kernel's first instructions at its own addresses: from boot/long_mode.asm to kernel_main.
; Once, interrupts off. In a file of its own because NASM describes one executable section a file to
; debuggers; gdb stumbles over a second.

%include "offsets.inc"
%include "arch/x86_64/cfi.inc"

extern kernel_main
extern stack_task

section .text progbits alloc exec nowrite align=16
bits 64

; IN esi = physical address of the boot information. The outermost frame: the return
; address pushed for kernel_main is the end of every call chain, and a zero above it stops a walk by
; frame pointers.
cfi_start boot_entry_high, return
        cfi_outermost
        mov rsp, stack_task + STACK_PAGES_SIZE
        xor ebp, ebp
        mov edi, esi
        push rbp
        push rbp
        cfi_offset 16
        call kernel_main
        ud2
cfi_end
