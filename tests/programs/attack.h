/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks on the kernel's entries and exits, in user mode: those that no compiler generates are in
 * attack.asm. If one returns, it has survived; docs/programs.md explains each.
 */
#pragma once

#include <stdint.h>

/* Instructions that ring 3 may not execute. */
void attack_hlt(void);
void attack_cli(void);
void attack_in(void);
void attack_out(void);
void attack_rdmsr(void);
void attack_wrmsr(void);
void attack_lgdt(void);
void attack_lidt(void);
void attack_ltr(void);
void attack_lldt(void);
void attack_clts(void);
void attack_invlpg(void);
void attack_wbinvd(void);
void attack_swapgs(void);
void attack_sysret(void);
void attack_sysenter(void);
void attack_read_cr3(void);
void attack_write_cr4(void);
void attack_read_dr7(void);
void attack_write_dr7(void);
void attack_write_dr0(void);
void attack_rdpmc(void);
void attack_int_80(void);
void attack_int_1(void);
void attack_int_timer(void);
void attack_iretq_kernel(void);
void attack_retf_kernel(void);
void attack_retf_32(void);
void attack_mov_ss_kernel(void);
void attack_mov_ss_null(void);
void attack_virtual_kernel(void);
void attack_virtual_quiet(void);
void attack_virtual_step(void);
void attack_virtual_program(void);
void attack_virtual_null(void);

/* ... and instructions that are disabled for it. */
void attack_wrgsbase(void);
void attack_stac(void);
void attack_ud2(void);
void attack_sse(void);
void attack_x87(void);

/* Debug exceptions that the program causes itself. */
void attack_int3(void);
void attack_int1(void);
void attack_trap_flag(void);
void attack_trap_flag_syscall(void);
void attack_trap_flag_int3(void);

/*
 * Exceptions with DF, NT and AC set: tests/kernel/entries_suite.c checks whether the kernel runs
 * with them.
 */
void attack_flags_int3(void);
void attack_flags_ud2(void);
void attack_flags_step(void);

/* A stack segment loaded from memory, attack_operand, or with TF set. */
void attack_ss_syscall(void);
void attack_ss_int3(void);
void attack_lss_syscall(void);
void attack_ss_trap_flag_syscall(void);
void attack_ss_trap_flag_int3(void);

/* TF, and a read of attack_operand by one instruction; the second after a system call with TF. */
void attack_trap_flag_operand(void);
void attack_trap_flag_syscall_operand(void);

/* Jumps to addresses without code of the program. */
void attack_jump_kernel(void);
void attack_jump_non_canonical(void);
void attack_edge(void); /* `syscall` in the last two bytes that a program can have */

/*
 * Call getpid with each of these flags set, or with an arbitrary stack pointer, and loop for a
 * while, interrupted, in the same state. They return 0 if the kernel left everything unchanged.
 */
uint64_t attack_flags(uint64_t flags, uint64_t turns);
uint64_t attack_stack_pointer(uint64_t value, uint64_t turns);
uint64_t attack_segments(uint64_t selector, uint64_t turns);
uint64_t attack_registers(void);
uint64_t attack_iopl(void);
