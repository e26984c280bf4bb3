; SPDX-License-Identifier: BSD-2-Clause
; Startup code of the guests of tests/boot/outside_guests.t: from PVH's 32-bit entry to 64-bit code,
; with the first GiB identity-mapped, an interrupt table of absent gates, and main() on boot_stack.
; `quit` ends the machine by isa-debug-exit.
%include "tests/guests/long_mode.inc"
pvh_note

section .text progbits alloc exec nowrite align=16
extern main
bits 32
global start:function (start.end - start)
start:  mov dword [pdpt], pd + 3
        mov dword [pml4], pdpt + 3
        mov eax, 0x83
        xor ecx, ecx
.page:  mov [pd + ecx * 8], eax
        add eax, 0x200000
        inc ecx
        cmp ecx, 512
        jb .page
        mov eax, pml4
        mov cr3, eax
        mov eax, 0x620                          ; CR4: PAE, OSFXSR, OSXMMEXCPT
        mov cr4, eax
        mov ecx, 0xc0000080                     ; EFER: LME, SCE
        mov eax, 0x101
        xor edx, edx
        wrmsr
        mov eax, 0x80010001                     ; CR0: PG, WP, PE
        mov cr0, eax
        lgdt [gdt_place]
        jmp 8:.long_mode
bits 64
.long_mode:
        xor eax, eax
        mov ss, eax
        mov ds, eax
        mov es, eax
        mov esp, boot_stack + 8192
        lidt [abs idt_place]
        call main
.end:
global quit:function (quit.end - quit)
quit:   mov al, 0
        out 0xf4, al
.halt:  hlt
        jmp .halt
.end:

section .data progbits alloc noexec write align=16
global gdt, pml4, pd, idt, idt_place
gdt:    dq 0, 0x00af9b000000ffff, 0x00cf93000000ffff, 0x00cff3000000ffff, 0x00affb000000ffff, 0, 0
gdt_place:
        dw 55
        dd gdt, 0
idt_place:
        dw 4095
        dq idt

section .bss nobits alloc noexec write align=4096
pml4:   resb 4096
pdpt:   resb 4096
pd:     resb 4096
idt:    resb 4096
boot_stack:
        resb 8192
