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

/*
 * --- The only table of a trap frame's registers, for registers.c and stop_registers.c. Sources:
 * System V ABI, AMD64 supplement, "DWARF Register Number Mapping"; <asm/perf_regs.h>; the manual of
 * gdb, "i386 Features". ---
 */

/* ROW(field of struct regs, name in PERF_REG_X86_*, gdb number, DWARF number) */
#define REGISTERS_GENERAL(ROW)                                                                     \
    ROW(ax, AX, 0, 0)                                                                              \
    ROW(dx, DX, 3, 1)                                                                              \
    ROW(cx, CX, 2, 2)                                                                              \
    ROW(bx, BX, 1, 3)                                                                              \
    ROW(si, SI, 4, 4)                                                                              \
    ROW(di, DI, 5, 5)                                                                              \
    ROW(bp, BP, 6, 6)                                                                              \
    ROW(sp, SP, 7, 7)                                                                              \
    ROW(r8, R8, 8, 8)                                                                              \
    ROW(r9, R9, 9, 9)                                                                              \
    ROW(r10, R10, 10, 10)                                                                          \
    ROW(r11, R11, 11, 11)                                                                          \
    ROW(r12, R12, 12, 12)                                                                          \
    ROW(r13, R13, 13, 13)                                                                          \
    ROW(r14, R14, 14, 14)                                                                          \
    ROW(r15, R15, 15, 15)

/* ROW(field of struct regs, name in PERF_REG_X86_*, gdb number) */
#define REGISTERS_OTHER(ROW)                                                                       \
    ROW(ip, IP, 16)                                                                                \
    ROW(flags, FLAGS, 17)                                                                          \
    ROW(cs, CS, 18)                                                                                \
    ROW(ss, SS, 19)

/* Register numbers of DWARF. gdb's scripts take names and numbers from here. */
#define REGISTERS_NUMBER(field, name, gdb, dwarf) REGISTER_##field = (dwarf),
enum register_number { REGISTERS_GENERAL(REGISTERS_NUMBER) };
