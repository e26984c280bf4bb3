/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A site: a five-byte nop in the code or, if turned on (arch/patch.h), a jump to out-of-line code.
 * The section `pitot_sites` lists them for their owners, which PITOT_SITE of core/pitot_trace.h
 * fills; and the gates that such code calls.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct arch_site {
    uintptr_t address; /* of the nop */
    uintptr_t target;  /* of the jump */
    const void *owner;
};

/*
 * A gate, by which an enabled site calls its owner (arch/x86_64/entry/gate.asm), takes a struct
 * arch_gated, then up to ARCH_GATE_ARGUMENTS words, all in registers. It turns interrupts off,
 * calls gated->enter, and turns them on again if they were on; a pending interrupt then arrives in
 * the caller, never in gated->enter.
 */
#define ARCH_GATE_ARGUMENTS 5

/* Pushed by a gate: the caller's sp is the address right after this struct. */
struct arch_place {
    uint64_t argument[ARCH_GATE_ARGUMENTS];
    uint64_t flags, bp, ip; /* the caller's values; ip: the call's return address */
};

struct arch_gated;
struct regs;

/*
 * Called with interrupts off. `all` has all registers from arch_gate_registers, otherwise is NULL.
 */
typedef void arch_gated_function(struct arch_gated *gated, struct arch_place *place,
                                 const struct regs *all);

/* The first member of each struct passed to a gate. */
struct arch_gated {
    arch_gated_function *enter;
};

/* Callers cast a gate to a type with arguments. */
typedef void arch_gate_function(void);

/* arch_gate_registers also stores all registers. */
arch_gate_function arch_gate, arch_gate_registers;
