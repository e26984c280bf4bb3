; SPDX-License-Identifier: BSD-2-Clause
;
; The header by which GRUB recognises the kernel.
; Source: Multiboot2 Specification 2.0, "The layout of Multiboot2 header".

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
