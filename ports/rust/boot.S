/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Rust kernel's start and its timer's interrupt. QEMU's -kernel finds the entry by a PVH note
 * and enters in 32-bit mode without paging, with the address of struct hvm_start_info in ebx, which
 * kernel_main gets in 64-bit mode. Maps the first gigabyte at 0.
 */
        .file "ports/rust/boot.S" /* otherwise an object of a random name */
#include "cfi_gas.inc"

#define CODE 0x08
#define DATA 0x10
#define XEN_ELFNOTE_PHYS32_ENTRY 18

        .section .note.pvh, "a", @note
        .balign 4
        .long 4, 4, XEN_ELFNOTE_PHYS32_ENTRY
        .asciz "Xen"
        .long boot_entry

        .section .boot, "awx"
        .code32
        .globl boot_entry
boot_entry:
        movl %ebx, %edi
        movl $0x83, %eax                /* present, writable, 2 MiB */
        xorl %ecx, %ecx
1:      movl %eax, directory(, %ecx, 8)
        addl $0x200000, %eax
        incl %ecx
        cmpl $512, %ecx
        jb 1b
        movl $directory + 3, pointers
        movl $pointers + 3, root
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
        jmp first

        .balign 8
        .globl gdt
gdt:    .quad 0
        .quad 0x00af9b000000ffff        /* CODE */
        .quad 0x00cf93000000ffff        /* DATA */
        .quad 0, 0                      /* the task state (machine.rs) */
gdt_pointer:
        .word gdt_pointer - gdt - 1
        .quad gdt

        .section .boot.tables, "aw", @nobits
        .balign 4096
root:      .skip 4096
pointers:  .skip 4096
directory: .skip 4096

        .text
        cfi_start first, return
        cfi_outermost
        movq $boot_stack_end, %rsp
        xorl %ebp, %ebp                 /* ends a chain by frame pointers */
        call kernel_main
        ud2
        cfi_end first

/* On an IST stack, as core's compiled code may keep data below the stack pointer. */
        .section .text.gate, "ax"
        .balign 16
        cfi_start timer_entry, trap
        pushq $0
        cfi_offset 48
        pushq $32
        cfi_offset 56
        cfi_push rdi
        cfi_push rsi
        cfi_push rdx
        cfi_push rcx
        cfi_push rax
        cfi_push r8
        cfi_push r9
        cfi_push r10
        cfi_push r11
        cfi_push rbx
        cfi_push rbp
        cfi_push r12
        cfi_push r13
        cfi_push r14
        cfi_push r15
        movq %rsp, %rdi                 /* what has been pushed */
        cld
        call timer_serve
.Lserved:                               /* PITOT 1 */
        cfi_pop r15
        cfi_pop r14
        cfi_pop r13
        cfi_pop r12
        cfi_pop rbp
        cfi_pop rbx
        cfi_pop r11
        cfi_pop r10
        cfi_pop r9
        cfi_pop r8
        cfi_pop rax
        cfi_pop rcx
        cfi_pop rdx
        cfi_pop rsi
        cfi_pop rdi
        addq $16, %rsp
        cfi_offset 40
        iretq
        cfi_end timer_entry

/* Where timer_serve returns. The label there is local: perf would take another for a function. */
        .section .rodata
        .globl timer_trap               /* PITOT 1 */
timer_trap:                             /* PITOT 1 */
        .quad .Lserved                  /* PITOT 1 */

        .bss
        .balign 16
        .globl boot_stack, boot_stack_end, timer_stack_end
boot_stack: .skip 16384
boot_stack_end:
        .skip 8192
timer_stack_end:
