/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers of a trap frame by the numbers of other tools: perf and DWARF here, gdb in
 * arch/x86_64/debug/stop_registers.c. All are made from one table, arch/x86_64/cpu/registers.h. For
 * core/sample, core/script, core/unwind, and what is told of a program that faults. Any context.
 */
#pragma once

#include <stdint.h>

struct regs;

/* By bit of attr.sample_regs_intr: those that a frame has. */
#define ARCH_SAMPLED_BITS 24
#define ARCH_SAMPLED      0xff0fffull /* all but ds, es, fs, gs */

/*
 * Their offsets in struct regs, in bytes; and perf's names for them, also for those that no frame
 * has.
 */
extern const uint8_t arch_sampled_places[ARCH_SAMPLED_BITS];
extern const char arch_sampled_names[ARCH_SAMPLED_BITS][6];

/* The same of the general registers by number in DWARF, spelt as the fields of struct regs. */
#define ARCH_GENERAL_REGISTERS 16
extern const uint8_t arch_general_places[ARCH_GENERAL_REGISTERS];
extern const char arch_general_names[ARCH_GENERAL_REGISTERS][4];

/*
 * A general register of a trap frame by its DWARF number (System V ABI, "DWARF Register Number
 * Mapping"), 0 to 15.
 */
uint64_t arch_register(const struct regs *regs, unsigned number);
