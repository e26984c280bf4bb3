; SPDX-License-Identifier: BSD-2-Clause
;
; Startup code of the second kernel: from QEMU's -kernel, which enters by the PVH note in 32-bit
; mode without paging, to port_enter in 64-bit mode. The first gigabyte is mapped twice: at its
; physical addresses, and where the image is linked. Interrupts off.

extern port_enter

section .note.pvh note alloc noexec nowrite align=4
        dd 4, 4, 18                     ; "Xen", XEN_ELFNOTE_PHYS32_ENTRY
        db "Xen", 0
        dd port_entry

section .boot.text progbits alloc exec nowrite align=16
bits 32
global port_entry
port_entry:
        mov eax, 0x83                   ; present, writable, 2 MiB
        xor ecx, ecx
.fill:  mov [directory + ecx * 8], eax
        add eax, 0x200000
        inc ecx
        cmp ecx, 512
        jb .fill
        mov dword [pointers], directory + 3
        mov dword [pointers + 510 * 8], directory + 3
        mov dword [root], pointers + 3
        mov dword [root + 511 * 8], pointers + 3
        mov eax, root
        mov cr3, eax
        mov eax, 1 << 5                 ; CR4.PAE
        mov cr4, eax
        mov ecx, 0xc0000080             ; EFER: LME, NXE
        mov eax, 1 << 8 | 1 << 11
        xor edx, edx
        wrmsr
        mov eax, 1 << 31 | 1 << 16 | 1  ; CR0: PG, WP, PE
        mov cr0, eax
        lgdt [gdt_pointer]
        jmp 8:.long
bits 64
.long:  xor eax, eax
        mov ds, eax
        mov es, eax
        mov ss, eax
        mov rax, port_enter
        jmp rax

section .boot.data progbits alloc noexec write align=16
gdt:    dq 0, 0x00af9b000000ffff        ; 64-bit code, ring 0
gdt_pointer:
        dw gdt_pointer - gdt - 1
        dd gdt

section .boot.bss nobits alloc noexec write align=4096
root:           resb 4096
pointers:       resb 4096
directory:      resb 4096
