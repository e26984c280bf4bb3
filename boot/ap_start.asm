; SPDX-License-Identifier: BSD-2-Clause
;
; Takes each other CPU from real mode, where a start-up interrupt starts it, to ap_entry_high in
; 64-bit mode, on the boot page tables (boot/long_mode.asm). Interrupts off, no stack. The first
; part runs in a copy below 1 MiB (kernel/x86_64/smp/smp.c).

%include "offsets.inc"
%include "boot/long_mode.inc"

extern ap_entry_high
extern boot_root

CODE32          equ 0x18

section .boot.text progbits alloc exec nowrite align=16
bits 16
; IN cs = the page's address / 16.
global ap_start
ap_start:
        cli
        cld
        mov ax, cs
        mov ds, ax
        o32 lgdt [ap_gdt_pointer - ap_start]
        mov eax, cr0
        or eax, CR0_PE
        mov cr0, eax
        jmp dword CODE32:ap_protected
align 8
ap_gdt_pointer:
        dw ap_gdt_end - ap_gdt - 1
        dd ap_gdt
global ap_start_end
ap_start_end:

bits 32
ap_protected:
        mov ax, KERNEL_DATA_SELECTOR
        mov ds, ax
        paging_on
        jmp KERNEL_CODE_SELECTOR:ap_long ; cs stays valid: the kernel's GDT has the same entry

bits 64
ap_long:
        enter_high ap_entry_high

section .boot.data progbits alloc noexec write align=16
ap_gdt:
        dq 0
        dq 0x00af9b000000ffff           ; 64-bit code, ring 0
        dq 0x00cf93000000ffff           ; data
        dq 0x00cf9b000000ffff           ; 32-bit code
ap_gdt_end:
