/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A site: a place in the code that does nothing until it is turned on. A disabled site is a single
 * five-byte nop; an enabled site is a jump to out-of-line code. Each site is recorded in the
 * section `tracepoint_sites`, where its owner finds it. arch/patch.h turns sites on and off. The
 * host compiles this file, too; there sites stay off.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct arch_site {
    uintptr_t address; /* address of the nop */
    uintptr_t target;  /* target of the jump */
    const void *owner; /* owner of the site */
};

/*
 * True if the site is on. `owner` is the name of a variable. The section is writable because the
 * host may have to relocate the pointers in it; in the kernel it is in the read-only part.
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
 * --- Gates: how an enabled site calls its owner (arch/x86_64/entry/gate.asm). ---
 *
 * A gate takes a struct arch_gated, then up to ARCH_GATE_ARGUMENTS words, of which the caller
 * supplies as many as it needs: all in registers. The gate turns interrupts off, calls
 * gated->enter, and turns them on again if they were on. A pending interrupt is then delivered in
 * the caller, so no interrupt occurs in the code that runs in between.
 */
#define ARCH_GATE_ARGUMENTS 5

/*
 * On the gate's stack, directly below the caller's frame: the caller's sp is the address after this
 * struct.
 */
struct arch_place {
    uint64_t argument[ARCH_GATE_ARGUMENTS];
    uint64_t flags, bp, ip; /* the caller's values; ip: the return address of the call */
};

struct arch_gated;
struct regs;

/* Interrupts off. `all` holds all registers of the place if the gate is arch_gate_registers. */
typedef void arch_gated_function(struct arch_gated *gated, struct arch_place *place,
                                 const struct regs *all);

/* The first member of every struct passed to a gate. */
struct arch_gated {
    arch_gated_function *enter;
};

/* The caller casts this to a type with arguments. */
typedef void arch_gate_function(void);

/* The gate, and the variant that stores all registers. */
arch_gate_function arch_gate, arch_gate_registers;
