/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers of a trap frame by the numbers that other tools use: perf and DWARF here, gdb in
 * arch/x86_64/debug/stop_registers.c. All tables are generated from arch/x86_64/cpu/registers.h.
 * For core/sample, core/script, core/unwind, and the report about a faulting program. Any context.
 */
#pragma once

#include <stdint.h>

struct regs;

/* The bits of attr.sample_regs_intr that a frame can supply. */
#define ARCH_SAMPLED_BITS 24
#define ARCH_SAMPLED      0xff0fffull /* all but ds, es, fs, gs */

/*
 * Offsets of these registers in struct regs, in bytes; and perf's register names, including those
 * of registers that no frame has.
 */
extern const uint8_t arch_sampled_places[ARCH_SAMPLED_BITS];
extern const char arch_sampled_names[ARCH_SAMPLED_BITS][6];

/*
 * The same for the general registers, indexed by DWARF number and spelt as the fields of struct
 * regs.
 */
#define ARCH_GENERAL_REGISTERS 16
extern const uint8_t arch_general_places[ARCH_GENERAL_REGISTERS];
extern const char arch_general_names[ARCH_GENERAL_REGISTERS][4];

/*
 * A general register of a trap frame by its DWARF number (System V ABI, "DWARF Register Number
 * Mapping"), 0 to 15.
 */
uint64_t arch_register(const struct regs *regs, unsigned number);
