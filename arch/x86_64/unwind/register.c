/* SPDX-License-Identifier: BSD-2-Clause */
/* General registers by number, for the unwinder (arch/unwind.h). Pure, any context. */
#include "arch/regs.h"
#include "arch/unwind.h"

uint64_t arch_register(const struct regs *regs, unsigned number)
{
    /* System V ABI, AMD64 supplement, "DWARF Register Number Mapping" */
    static const uint8_t places[16] = {
        offsetof(struct regs, ax),  offsetof(struct regs, dx),  offsetof(struct regs, cx),
        offsetof(struct regs, bx),  offsetof(struct regs, si),  offsetof(struct regs, di),
        offsetof(struct regs, bp),  offsetof(struct regs, sp),  offsetof(struct regs, r8),
        offsetof(struct regs, r9),  offsetof(struct regs, r10), offsetof(struct regs, r11),
        offsetof(struct regs, r12), offsetof(struct regs, r13), offsetof(struct regs, r14),
        offsetof(struct regs, r15),
    };

    return *(const uint64_t *)((const char *)regs + places[number]);
}
