/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debug registers, bit by bit. Source: Intel SDM vol. 3, "Debug Registers", tables of DR6 and DR7;
 * AMD APM vol. 2, "Software- Debug Resources", for the same.
 */
#pragma once

#include <stdint.h>

#include "arch/arch.h"

/* DR6, "Debug Status Register": bits set by the processor, never cleared by it. */
#define DR6_FIRED 0xfull        /* B0 to B3: set for disabled breakpoints as well */
#define DR6_BD    (1ull << 13)  /* access to a debug register while DR7.GD */
#define DR6_BS    (1ull << 14)  /* single step */
#define DR6_CLEAR 0xffff0ff0ull /* reserved bits read as 1; RTM and BLD are "active low" */

/* DR7, "Debug Control Register" */
#define DR7_OFF             0x400ull /* bit 10 is fixed 1 */
#define DR7_GLOBAL(i)       (2ull << (2 * (i)))
#define DR7_RW(i, rw)       ((uint64_t)(rw) << (16 + 4 * (i)))
#define DR7_LENGTH(i, bits) ((uint64_t)(bits) << (18 + 4 * (i)))
#define DR7_EXACT           (1ull << 9) /* GE: ignored since P6, asked for by older manuals */

#define DR7_RW_EXECUTE    0
#define DR7_RW_WRITE      1
#define DR7_RW_READ_WRITE 3

/* The DR7 that arms these watches, watch i in register i. Pure. */
uint64_t debugreg_encode(const struct arch_watch *watches, unsigned count);

/*
 * Single steps (TF) go to `handler`; NULL: a single step is an unexpected exception. The handler
 * runs like a watch handler.
 */
typedef void debug_step_handler(struct regs *regs);
void debug_set_step_handler(debug_step_handler *handler);

/* Loads this CPU's debug registers with what is armed on all. Interrupts off. */
void debugreg_load(void);
