/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A site: a place in the code that does nothing until it is turned on. Off it is one instruction, a
 * nop of five bytes; on, a jump to what stands behind it, out of the way of the usual path. Each
 * site notes itself in the section `tracepoint_sites`, so that who owns it finds all of them.
 * arch/arch.h has the functions. The host compiles this too, where sites stay off.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct arch_site {
    uintptr_t address; /* of the nop */
    uintptr_t target;  /* where its jump leads */
    const void *owner; /* what it belongs to */
};

/*
 * True where the site is on. `owner` is the name of a variable. The section is writable, as the
 * host may have to move what it points to; in the kernel it lies in the read-only part.
 */
#define ARCH_SITE_ON(owner)                                                                        \
    __extension__({                                                                                \
        __label__ site_on;                                                                         \
        bool on = false;                                                                           \
        __asm__ goto("1: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n\t"                                   \
                     ".pushsection tracepoint_sites, \"aw\", @progbits\n\t"                        \
                     ".balign 8\n\t"                                                               \
                     ".quad 1b, %l[site_on], " #owner "\n\t"                                       \
                     ".popsection"                                                                 \
                     :                                                                             \
                     :                                                                             \
                     :                                                                             \
                     : site_on);                                                                   \
        if (0) {                                                                                   \
        site_on:                                                                                   \
            on = true;                                                                             \
        }                                                                                          \
        __builtin_expect(on, false);                                                               \
    })

/*
 * A function `name` that calls `target` (of up to six arguments, all in registers) by way of
 * arch_registers_thunk, which puts all general registers into a struct regs right above the return
 * address. ax carries the target there. Weak: a program without sites that are on has no thunk.
 */
#define ARCH_REGISTERS_STUB(name, target)                                                          \
    __asm__(".pushsection .text\n\t"                                                               \
            ".weak arch_registers_thunk\n\t"                                                       \
            ".type " #name ", @function\n" #name ":\n\t"                                           \
            ".cfi_startproc\n\t"                                                                   \
            "leaq " #target "(%rip), %rax\n\t"                                                     \
            "jmp arch_registers_thunk\n\t"                                                         \
            ".cfi_endproc\n\t"                                                                     \
            ".size " #name ", . - " #name "\n\t"                                                   \
            ".popsection")
