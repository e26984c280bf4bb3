/* SPDX-License-Identifier: BSD-2-Clause */
/* See proof_repeat.h. Intel SDM vol. 2, "REP/REPE/REPZ/REPNE/REPNZ". */
#include "tests/kernel/proof_repeat.h"

#define PREFIX_REP 0xf3
#define REX_WIDE   0x48
#define MOVS_BYTE  0xa4
#define MOVS_WORD  0xa5
#define STOS_BYTE  0xaa
#define STOS_WORD  0xab

/* Each executes the same instruction again, in the trap, where iterations are not stepped. */
#define MOVE(rep)  __asm__ volatile(rep : "+D"(regs->di), "+S"(regs->si), "+c"(count) : : "memory")
#define STORE(rep) __asm__ volatile(rep : "+D"(regs->di), "+c"(count) : "a"(regs->ax) : "memory")

void repeat_rest(struct regs *regs)
{
    const uint8_t *code = (const uint8_t *)regs->ip;
    bool wide = code[1] == REX_WIDE;
    uint8_t operation = code[1 + wide];
    uint64_t count = regs->cx - 1;

    if (code[0] != PREFIX_REP || regs->cx < 2 || regs->flags & FLAGS_DIRECTION)
        return;
    if (operation == MOVS_BYTE)
        MOVE("rep movsb");
    else if (operation == STOS_BYTE)
        STORE("rep stosb");
    else if (operation == MOVS_WORD && wide)
        MOVE("rep movsq");
    else if (operation == STOS_WORD && wide)
        STORE("rep stosq");
    else
        return;
    regs->cx = 1;
}
