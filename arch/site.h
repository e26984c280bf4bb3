/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A site: a five-byte nop in the code or, if turned on, a jump to out-of-line code. The section
 * `pitot_sites` lists them for their owners, which PITOT_SITE of core/pitot_trace.h fills; and the
 * gates that such code calls. For core/tracepoint.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arch_site {
    uintptr_t address; /* of the nop */
    uintptr_t target;  /* of the jump */
    const void *owner;
};

/*
 * Returns 0 if the site is now, or already was, in that state. Otherwise nothing has changed:
 * returns -EINVAL if the text holds neither the nop nor the jump, -ETIMEDOUT if the other CPUs
 * could not be parked. Task context.
 */
int arch_site_set(const struct arch_site *site, bool on);

/* Writes up to eight bytes of code by one store; interrupts off, all other CPUs parked. */
void arch_text_write(uintptr_t address, const uint8_t *code, size_t length);

/*
 * Makes eight bytes of code writable, and returns where; or ends that. By the kernel's page tables
 * (kernel/x86_64/memory/image.c), or in spite of them (arch/embed/kernel.c).
 */
void *arch_text_open(uintptr_t address);
void arch_text_close(void);

/* --- Gates. --- */

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
