; SPDX-License-Identifier: BSD-2-Clause
;
; Each CPU's first instructions at the kernel's link addresses. Once per CPU, interrupts off. In a
; separate file from boot/long_mode.asm, because NASM's debug information describes one executable
; section per file, and gdb cannot handle a second.

%include "offsets.inc"
%include "arch/x86_64/unwind/cfi.inc"

extern kernel_main
extern stack_task
extern smp_main
extern smp_start

section .text progbits alloc exec nowrite align=16
bits 64

; IN edi, esi = the loader's magic and information, for kernel_main. The outermost frame: the return
; address of kernel_main ends every call chain; a zero above it stops a walk by frame pointers.
cfi_start boot_entry_high, return
        cfi_outermost
        mov rsp, stack_task + STACK_PAGES_SIZE
        xor ebp, ebp
        push rbp
        push rbp
        cfi_offset 16
        call kernel_main
        ud2
cfi_end

; The boot CPU waits for this CPU. If this CPU is too late, the boot CPU has withdrawn its stack.
align 16
cfi_start ap_entry_high, return
        cfi_outermost
        mov rax, [abs smp_start + SMP_START_PAGE_TABLES]
        mov cr3, rax
        xor eax, eax
        xchg rax, [abs smp_start + SMP_START_STACK]
        test rax, rax
        jz .late
        mov rsp, rax
        xor ebp, ebp
        push rbp
        push rbp
        cfi_offset 16
        call smp_main
.late:
        cfi_offset 8
        hlt
        jmp .late
cfi_end
