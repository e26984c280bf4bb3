/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A site: a place in the code that does nothing until it is turned on. A site that is off is one
 * instruction, a nop of five bytes; a site that is on is a jump to code outside of the usual path.
 * Each site is noted in the section `tracepoint_sites`, where its owner finds it. arch/patch.h
 * turns sites on and off. The host compiles this file, too; there sites stay off.
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
 * --- Gates: how a site that is on calls its owner (arch/x86_64/entry/gate.asm). ---
 *
 * A gate is called with a struct arch_gated first and ARCH_GATE_ARGUMENTS words after it, of which
 * the caller gives as many as it has: all in registers. It turns interrupts off, calls
 * gated->enter, and turns them on again, if they were, where an interrupt that has waited meanwhile
 * finds the caller: none comes upon what runs in between.
 */
#define ARCH_GATE_ARGUMENTS 5

/*
 * On the gate's stack, directly below the caller's own part: the caller's sp is the address after
 * this struct.
 */
struct arch_place {
    uint64_t argument[ARCH_GATE_ARGUMENTS];
    uint64_t flags, bp, ip; /* as the caller has them; ip: the return address of the call */
};

struct arch_gated;
struct regs;

/*
 * Interrupts off. `all` holds all registers of the place, if the gate is the one that stores them.
 */
typedef void arch_gated_function(struct arch_gated *gated, struct arch_place *place,
                                 const struct regs *all);

/* The first member of every struct that a gate is called with. */
struct arch_gated {
    arch_gated_function *enter;
};

/* The caller casts it to a type with arguments. */
typedef void arch_gate_function(void);

/* The gate, and the gate that stores all registers. */
arch_gate_function arch_gate, arch_gate_registers;
