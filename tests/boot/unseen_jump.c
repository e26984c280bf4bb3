/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * siglongjmp without ThreadSanitizer, which ends a program that jumps from one stack to another, as
 * QEMU's coroutines do. Loaded before ThreadSanitizer into QEMU by tests/boot/outside_races.t. The
 * buffer is glibc's: three of its words are rotated, and mixed with a word of the thread's.
 */
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>

__attribute__((naked, noreturn)) static void jump(void *registers, int value)
{
    __asm__("mov (%rdi), %rbx\n\t"
            "mov 8(%rdi), %rbp\n\t"
            "ror $17, %rbp\n\t"
            "xor %fs:0x30, %rbp\n\t"
            "mov 16(%rdi), %r12\n\t"
            "mov 24(%rdi), %r13\n\t"
            "mov 32(%rdi), %r14\n\t"
            "mov 40(%rdi), %r15\n\t"
            "mov 48(%rdi), %rdx\n\t"
            "ror $17, %rdx\n\t"
            "xor %fs:0x30, %rdx\n\t"
            "mov 56(%rdi), %rcx\n\t"
            "ror $17, %rcx\n\t"
            "xor %fs:0x30, %rcx\n\t"
            "mov %esi, %eax\n\t"
            "mov %rdx, %rsp\n\t"
            "jmp *%rcx");
}

_Noreturn void siglongjmp(sigjmp_buf buffer, int value)
{
    if (buffer[0].__mask_was_saved)
        sigprocmask(SIG_SETMASK, (const sigset_t *)&buffer[0].__saved_mask, NULL);
    jump(buffer[0].__jmpbuf, value ? value : 1);
}
