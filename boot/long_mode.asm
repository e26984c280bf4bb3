; SPDX-License-Identifier: BSD-2-Clause
;
; Takes the boot CPU from the loader's 32-bit protected mode to boot_entry_high in 64-bit mode, and
; each other CPU from real mode to ap_entry_high; and what loaders know the kernel by. Runs once for
; each CPU, interrupts off, in the low part of the image. Reports a missing requirement on port 0xE9
; and on COM1, which it sets up because not every firmware does.
;
; The page tables map the first 4 GiB at 0, at DIRECT_BASE and (1 GiB) at KERNEL_BASE, writable and
; executable. They are for booting only (kernel/x86_64/memory/paging.c), also for the CPUs that
; start later.

%include "offsets.inc"

extern boot_entry_high
extern ap_entry_high

MULTIBOOT2_BOOTLOADER_MAGIC equ 0x36d76289
PVH_MAGIC                   equ 0x336ec578      ; boot/information.h

PAGE_PRESENT    equ 1 << 0
PAGE_WRITABLE   equ 1 << 1
PAGE_LARGE      equ 1 << 7

; CPUID.80000001H:EDX and CPUID.01H:EDX
CPUID_NX        equ 1 << 20
CPUID_LM        equ 1 << 29
CPUID_TSC       equ 1 << 4

COM1            equ 0x3f8
COM1_LINE_STATUS equ COM1 + 5
COM1_EMPTY      equ 1 << 5
COM1_RATE_HIGH  equ COM1 + 1
COM1_LINE       equ COM1 + 3
COM1_LINE_8N1   equ 3
COM1_LINE_RATE  equ 1 << 7              ; the first two ports are the rate's divisor
COM1_PATIENCE   equ 100000              ; reads of 100 ns; a byte takes 1 ms at 9600 baud
PORT_E9         equ 0xe9

; Intel SDM vol. 3, "Control Registers" and "Extended Feature Enable Register"
CR0_PE          equ 1 << 0
CR0_WP          equ 1 << 16
CR0_NW          equ 1 << 29
CR0_CD          equ 1 << 30
CR0_PG          equ 1 << 31
CR4_PAE         equ 1 << 5
MSR_EFER        equ 0xc0000080
EFER_LME        equ 1 << 8
EFER_NXE        equ 1 << 11

; Turns on paging with the boot page tables; a far jump into 64-bit code must follow. Overwrites CR4
; and EFER, whatever firmware has left there: five-level paging cannot be turned off once paging is
; on. Turns on the caches, which a reset turns off. CLOBBERS eax, ecx, edx.
%macro paging_on 0
        mov eax, boot_root
        mov cr3, eax
        mov eax, CR4_PAE
        mov cr4, eax
        mov ecx, MSR_EFER
        mov eax, EFER_LME | EFER_NXE
        xor edx, edx
        wrmsr
        mov eax, cr0
        or eax, CR0_PG | CR0_WP
        and eax, ~(CR0_NW | CR0_CD)
        mov cr0, eax
%endmacro

; Jumps from 64-bit code to %1, at the kernel's link addresses. CLOBBERS rax.
%macro enter_high 1
        xor eax, eax
        mov ds, eax
        mov es, eax
        mov fs, eax
        mov gs, eax
        mov ss, eax
        mov rax, %1
        jmp rax
%endmacro

; --- The boot CPU. ---

section .boot.text progbits alloc exec nowrite align=16
bits 32

; IN eax = the loader's magic, ebx = physical address of its information. Does not return.
global boot_entry
boot_entry:
        cld
        mov edi, eax                    ; edi and esi are kept for boot_entry_high
        mov esi, ebx

        mov ebp, text_no_loader
        cmp edi, MULTIBOOT2_BOOTLOADER_MAGIC
        je .loader_known
        cmp edi, PVH_MAGIC
        jne boot_refuse
.loader_known:

        mov ebp, text_no_long_mode
        mov eax, 0x80000000
        cpuid
        cmp eax, 0x80000001
        jb boot_refuse
        mov eax, 0x80000001
        cpuid
        test edx, CPUID_LM
        jz boot_refuse
        mov ebp, text_no_nx
        test edx, CPUID_NX
        jz boot_refuse
        mov ebp, text_no_tsc
        mov eax, 1
        cpuid
        test edx, CPUID_TSC
        jz boot_refuse

        ; Four page directories of 2 MiB pages: 4 GiB.
        mov eax, PAGE_PRESENT | PAGE_WRITABLE | PAGE_LARGE
        xor ecx, ecx
.fill_directory:
        mov [boot_directories + ecx * 8], eax
        mov dword [boot_directories + ecx * 8 + 4], 0
        add eax, 0x200000
        inc ecx
        cmp ecx, 4 * 512
        jb .fill_directory

        mov eax, boot_directories + PAGE_PRESENT + PAGE_WRITABLE
        xor ecx, ecx
.fill_pointers:
        mov [boot_pointers_low + ecx * 8], eax
        add eax, 4096
        inc ecx
        cmp ecx, 4
        jb .fill_pointers
        mov dword [boot_pointers_high + 510 * 8], boot_directories + PAGE_PRESENT + PAGE_WRITABLE

        mov eax, boot_pointers_low + PAGE_PRESENT + PAGE_WRITABLE
        mov [boot_root], eax                    ; 0
        mov [boot_root + 256 * 8], eax          ; DIRECT_BASE
        mov dword [boot_root + 511 * 8], boot_pointers_high + PAGE_PRESENT + PAGE_WRITABLE

        paging_on
        lgdt [boot_gdt_pointer]
        jmp 0x08:boot_entry_64

; IN ebp = string, NUL-terminated. Prints it to both ports, and halts for good.
boot_refuse:
        mov dx, COM1_LINE               ; 115200 baud, as in drivers/uart16550.c
        mov al, COM1_LINE_RATE
        out dx, al
        mov dx, COM1
        mov al, 1
        out dx, al
        mov dx, COM1_RATE_HIGH
        xor eax, eax
        out dx, al
        mov dx, COM1_LINE
        mov al, COM1_LINE_8N1
        out dx, al
.next:
        mov al, [ebp]
        test al, al
        jz .stop
        out PORT_E9, al
        mov ecx, COM1_PATIENCE
.wait:
        mov dx, COM1_LINE_STATUS
        in al, dx                       ; all ones if there is no port
        test al, COM1_EMPTY
        jnz .send
        dec ecx
        jnz .wait
.send:
        mov dx, COM1
        mov al, [ebp]
        out dx, al
        inc ebp
        jmp .next
.stop:
        cli
        hlt
        jmp .stop

bits 64
; IN edi, esi = the loader's magic and information, passed on. No stack yet.
boot_entry_64:
        enter_high boot_entry_high

section .boot.data progbits alloc noexec write align=16
boot_gdt:
        dq 0
        dq 0x00af9b000000ffff           ; 64-bit code, ring 0
boot_gdt_pointer:
        dw boot_gdt_pointer - boot_gdt - 1
        dd boot_gdt

text_no_loader:
        db "Pitot: the boot loader is neither Multiboot2's (GRUB's `multiboot2` command) nor PVH's "
        db "(QEMU's -kernel); stopped", 10, 0
text_no_long_mode:
        db "Pitot: this CPU has no 64-bit long mode; stopped", 10, 0
text_no_nx:
        db "Pitot: this CPU has no NX (execute-disable) pages; stopped", 10, 0
text_no_tsc:
        db "Pitot: this CPU has no time stamp counter; stopped", 10, 0

section .boot.bss nobits alloc noexec write align=4096
global boot_root
boot_root:              resb 4096
boot_pointers_low:      resb 4096
boot_pointers_high:     resb 4096
boot_directories:       resb 4 * 4096

; --- The other CPUs: a start-up interrupt starts each in real mode, without a stack. The first part
; runs in a copy below 1 MiB (kernel/x86_64/smp/smp.c). ---

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

; --- The header by which GRUB recognises the kernel. Source: Multiboot2 Specification 2.0, "The
; layout of Multiboot2 header". ---

MULTIBOOT2_MAGIC        equ 0xe85250d6
ARCHITECTURE_I386       equ 0           ; 32-bit protected mode, whatever the firmware
TAG_END                 equ 0
TAG_INFORMATION_REQUEST equ 1
TAG_MODULE_ALIGNMENT    equ 6           ; modules are page-aligned
INFORMATION_COMMAND_LINE equ 1
INFORMATION_MEMORY_MAP  equ 6

section .multiboot2 progbits alloc noexec nowrite align=8
header:
        dd MULTIBOOT2_MAGIC
        dd ARCHITECTURE_I386
        dd header_end - header
        dd 0x100000000 - (MULTIBOOT2_MAGIC + ARCHITECTURE_I386 + (header_end - header))

request:
        dw TAG_INFORMATION_REQUEST
        dw 0                            ; not optional
        dd request_end - request
        dd INFORMATION_COMMAND_LINE
        dd INFORMATION_MEMORY_MAP
request_end:
        align 8, db 0

        dw TAG_MODULE_ALIGNMENT
        dw 0
        dd 8

        dw TAG_END
        dw 0
        dd 8
header_end:

; --- The ELF note by which QEMU's -kernel recognises the kernel, and the PVH entry. Source: Xen,
; xen/include/public/elfnote.h (XEN_ELFNOTE_PHYS32_ENTRY) and docs/misc/pvh.pandoc, "x86/HVM direct
; boot ABI". ---

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
