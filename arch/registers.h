/* SPDX-License-Identifier: BSD-2-Clause */
/* A trap frame's registers, by perf's and by DWARF's numbers. Any context. */
#pragma once

#include <stdint.h>

struct regs;

/* The bits of attr.sample_regs_intr that a frame supplies. */
#define ARCH_SAMPLED_BITS 24
#define ARCH_SAMPLED      0xff0fffull /* all but ds, es, fs, gs */

/*
 * Offsets in struct regs, and perf's names, which also cover registers that no frame has. Both are
 * indexed by perf's register number.
 */
extern const uint8_t arch_sampled_places[ARCH_SAMPLED_BITS];
extern const char arch_sampled_names[ARCH_SAMPLED_BITS][6];

/* Offsets and names of the general registers, by DWARF number; names as in struct regs. */
#define ARCH_GENERAL_REGISTERS 16
extern const uint8_t arch_general_places[ARCH_GENERAL_REGISTERS];
extern const char arch_general_names[ARCH_GENERAL_REGISTERS][4];

/*
 * Returns a general register by DWARF number, 0 to 15 (System V ABI, "DWARF Register Number
 * Mapping").
 */
uint64_t arch_register(const struct regs *regs, unsigned number);
