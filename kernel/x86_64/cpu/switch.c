/* SPDX-License-Identifier: BSD-2-Clause */
/* The frame that arch_switch leaves on a stack. Task context; arch_switched_regs: any context. */
#include "arch/unwind.h"
#include "kernel/x86_64/thread.h"

/* As switch.asm pushes it. */
struct switched {
    uint64_t flags;
    uint64_t r15, r14, r13, r12, bx;
    uint64_t bp;
    uint64_t ip;
};

_Static_assert(sizeof(struct switched) == 64, "switch.asm pushes as much");
_Static_assert(offsetof(struct switched, bp) == 48, "switch.asm counts the frame pointer so");

extern const uint64_t switch_resume; /* switch.asm */
extern const char thread_start[];    /* switch.asm: a one-byte nop, then more */

uintptr_t arch_thread_prepare(const struct arch_stack *stack, void (*entry)(void))
{
    struct switched *first = (struct switched *)(stack->high - sizeof(*first));

    *first = (struct switched){
        .flags = FLAGS_FIXED, .bx = (uintptr_t)entry, .ip = (uintptr_t)thread_start + 1};
    return (uintptr_t)first;
}

/* The registers inside arch_switch, whose frame pointer is the address of its pushed rbp. */
void arch_switched_regs(uintptr_t sp, struct regs *regs)
{
    const struct switched *left = (const struct switched *)sp;

    *regs = (struct regs){.ip = switch_resume,
                          .sp = sp,
                          .bp = (uintptr_t)&left->bp,
                          .flags = left->flags & ~FLAGS_FIXED,
                          .cs = KERNEL_CODE_SELECTOR,
                          .ss = KERNEL_DATA_SELECTOR};
}
