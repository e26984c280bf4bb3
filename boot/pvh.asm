; SPDX-License-Identifier: BSD-2-Clause
;
; The ELF note by which QEMU's -kernel recognises the kernel, and the PVH entry. Source: Xen,
; xen/include/public/elfnote.h (XEN_ELFNOTE_PHYS32_ENTRY) and docs/misc/pvh.pandoc, "x86/HVM direct
; boot ABI".

extern boot_entry

XEN_ELFNOTE_PHYS32_ENTRY  equ 18

section .note.pvh note alloc noexec nowrite align=4
        dd name_end - name
        dd address_end - address
        dd XEN_ELFNOTE_PHYS32_ENTRY
name:   db "Xen", 0
name_end:
address:
        dd pvh_entry
address_end:

section .boot.text progbits alloc exec nowrite align=16
bits 32

; IN ebx = physical address of struct hvm_start_info; 32-bit protected mode, flat, without paging.
; OUT eax = the information's first word: the loader's magic, for boot_entry. Does not return.
global pvh_entry
pvh_entry:
        mov eax, [ebx]
        jmp boot_entry
