/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel's start. A Multiboot loader, such as QEMU's -kernel, enters in 32-bit mode
 * without paging. Maps the first gigabyte at 0 and at -2 GiB, and the interrupt controller; calls
 * kernel_main(machine) in 64-bit mode. Once, interrupts off. Another CPU begins at other_entry, in
 * 16-bit mode, and calls other_begin on the stack `other_stack`.
 */
        .file "ports/c/boot.S" /* otherwise an object of a random name */
#define MAGIC  0x1badb002
#define FLAGS  0x00010000 /* the header has the addresses: the loader need not know ELF */
#define CODE32 0x08
#define CODE   0x18
#define DATA   0x20

        .section .boot, "awx"
        .code32
        .balign 4
header: .long MAGIC, FLAGS, -(MAGIC + FLAGS)
        .long header, header, boot_file_end, boot_image_end, boot_entry

        .globl boot_entry
boot_entry:
        movl %ebx, %edi                 /* struct multiboot_info */
        movl $0x83, %eax                /* present, writable, 2 MiB */
        xorl %ecx, %ecx
1:      movl %eax, directory(, %ecx, 8)
        addl $0x200000, %eax
        incl %ecx
        cmpl $512, %ecx
        jb 1b
        movl $directory + 3, pointers
        movl $directory + 3, pointers + 510 * 8
        movl $apic_directory + 3, pointers + 3 * 8
        movl $0xfee00093, apic_directory + 503 * 8 /* not cached */
        movl $pointers + 3, root
        movl $pointers + 3, root + 511 * 8
enter_long:
        movl $root, %eax
        movl %eax, %cr3
        movl $1 << 5, %eax              /* CR4.PAE */
        movl %eax, %cr4
        movl $0xc0000080, %ecx          /* EFER: LME */
        movl $1 << 8, %eax
        xorl %edx, %edx
        wrmsr
        movl $0x80010001, %eax          /* CR0: PG, WP, PE */
        movl %eax, %cr0
        lgdt gdt_pointer
        ljmp $CODE, $long_mode

        .code64
long_mode:
        movw $DATA, %ax
        movw %ax, %ds
        movw %ax, %es
        movw %ax, %ss
        movq $high, %rax
        jmp *%rax

        .balign 8
        .globl gdt
gdt:    .quad 0
        .quad 0x00cf9b000000ffff        /* CODE32 */
        .quad 0
        .quad 0x00af9b000000ffff        /* CODE */
        .quad 0x00cf93000000ffff        /* DATA */
        .quad 0, 0, 0, 0                /* task states of two CPUs (cpu.c) */
gdt_pointer:
        .word gdt_pointer - gdt - 1
        .quad gdt

/* Copied below 1 MiB by other_start, so it addresses data relative to %cs. */
        .code16
        .globl other_entry, other_entry_size
other_entry:
        cli
        lgdtl %cs:(other_gdt - other_entry)
        movl $1, %eax                   /* CR0: PE */
        movl %eax, %cr0
        ljmpl $CODE32, $other_32
other_gdt:
        .word gdt_pointer - gdt - 1
        .long gdt
other_entry_size:
        .long other_entry_size - other_entry

        .code32
other_32:
        movw $DATA, %ax
        movw %ax, %ds
        movw %ax, %es
        movw %ax, %ss
        xorl %edi, %edi                 /* no struct multiboot_info */
        jmp enter_long
        .code64

        .section .boot.tables, "aw"      /* in the file, so that the loader's copy has no hole */
        .balign 4096
root:      .skip 4096
pointers:  .skip 4096
directory: .skip 4096
apic_directory: .skip 4096

        .text
        .type high, @function
high:   .cfi_startproc
        .cfi_undefined rip              /* has no caller */
        movq $boot_stack_end, %rsp
        xorl %ebp, %ebp                 /* ends a chain by frame pointers */
        testl %edi, %edi
        jz 1f
        call kernel_main
        ud2
1:      movq other_stack, %rsp
        call other_begin
        ud2
        .cfi_endproc
        .size high, . - high

        .bss
        .balign 16
        .globl boot_stack, boot_stack_end
boot_stack: .skip 16384
boot_stack_end:
