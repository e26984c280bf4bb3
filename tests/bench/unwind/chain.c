/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See chain.h. The build defines CHAIN, the function that this file makes; CHAIN_BODY, a seventh of
 * the bytes of other code around a function's call, which are jumped over; and CHAIN_FRAMED, if it
 * compiles with frame pointers. Registers that an asm statement declares as changed are saved by
 * the function around it, as if it had needed them.
 */
#include "tests/bench/unwind/chain.h"

#include "arch/snapshot.h"

#define CHAIN_TEXT __attribute__((noinline, section("chain_text")))

#define OTHER_CODE "jmp 1f\n\t.skip 1 + %c0, 0x90\n1:"

/* Without frame pointers rbp is like other registers: saved, then used for anything. */
#ifdef CHAIN_FRAMED
#define USE_RBP ""
#define RBP     "cc"
#else
#define USE_RBP "xor %%ebp, %%ebp\n\t"
#define RBP     "rbp"
#endif

/* `early` sevenths of the other code come before the call. */
#define SHAPE(name, early, bytes, use, ...)                                                        \
    CHAIN_TEXT static void name(struct chain *chain, unsigned left)                                \
    {                                                                                              \
        char locals[bytes];                                                                        \
                                                                                                   \
        chain->returned[left] = (uint64_t)__builtin_return_address(0);                             \
        __asm__ volatile(use OTHER_CODE ::"i"(early * CHAIN_BODY), "r"(locals)                     \
                         : "memory", __VA_ARGS__);                                                 \
        chain->next[left](chain, left - 1);                                                        \
        __asm__ volatile(OTHER_CODE ::"i"((7 - early) * CHAIN_BODY) : "memory", __VA_ARGS__);      \
    }

/* The bytes of locals, and the saved registers. */
SHAPE(shape_bare, 2, 0, "", "cc")
SHAPE(shape_bare_24, 6, 24, "", "cc")
SHAPE(shape_bare_104, 4, 104, "", "cc")
SHAPE(shape_1, 0, 0, "", "rbx")
SHAPE(shape_1_40, 5, 40, "", "rbx")
SHAPE(shape_1_200, 3, 200, "", "rbx")
SHAPE(shape_fp, 7, 0, USE_RBP, RBP)
SHAPE(shape_fp_1, 2, 8, USE_RBP, RBP, "rbx")
SHAPE(shape_fp_1_136, 4, 136, USE_RBP, RBP, "rbx")
SHAPE(shape_fp_2, 0, 0, USE_RBP, RBP, "rbx", "r12")
SHAPE(shape_fp_2_72, 6, 72, USE_RBP, RBP, "rbx", "r12")
SHAPE(shape_fp_3, 1, 24, USE_RBP, RBP, "rbx", "r12", "r13")
SHAPE(shape_fp_4, 5, 16, USE_RBP, RBP, "rbx", "r12", "r13", "r14")
SHAPE(shape_fp_5, 3, 56, USE_RBP, RBP, "rbx", "r12", "r13", "r14", "r15")
SHAPE(shape_fp_5_184, 7, 184, USE_RBP, RBP, "rbx", "r12", "r13", "r14", "r15")

/*
 * Takes up to 400 bytes, a number known only at run time, so it needs a frame pointer in every
 * build, and an unwinder must know what its callees have done with that register.
 */
CHAIN_TEXT static void shape_varying(struct chain *chain, unsigned left)
{
    char *locals = __builtin_alloca(400 - left);

    chain->returned[left] = (uint64_t)__builtin_return_address(0);
    __asm__ volatile(OTHER_CODE ::"i"(CHAIN_BODY), "r"(locals) : "memory");
    chain->next[left](chain, left - 1);
    __asm__ volatile(OTHER_CODE ::"i"(6 * CHAIN_BODY) : "memory");
}

static chain_function *const shapes[] = {
    shape_bare,    shape_bare_24, shape_bare_104, shape_1,        shape_1_40,
    shape_1_200,   shape_fp,      shape_fp_1,     shape_fp_1_136, shape_fp_2,
    shape_fp_2_72, shape_fp_3,    shape_fp_4,     shape_fp_5,     shape_fp_5_184,
};

#define SHAPES (sizeof(shapes) / sizeof(shapes[0]))

CHAIN_TEXT static void bottom(struct chain *chain, unsigned left)
{
    struct regs regs;

    (void)left;
    chain->returned[0] = (uint64_t)__builtin_return_address(0);
    REGS_SNAPSHOT(&regs);
    chain->work(chain, &regs);
    __asm__ volatile("" ::"r"(&regs) : "memory");
}

/*
 * A shuffle that repeats after more frames than there are shapes. Frames that no code of the table
 * expresses are as rare as in Linux, one in 64.
 */
static chain_function *shape_at(unsigned left)
{
    if (left % CHAIN_DEPTH_MOST == CHAIN_DEPTH_MOST / 2 + 1)
        return shape_varying;
    return shapes[(left * 7 + left / SHAPES * 3) % SHAPES];
}

void CHAIN(struct chain *chain, unsigned depth)
{
    chain->next[1] = bottom;
    for (unsigned left = 2; left <= depth; left++)
        chain->next[left] = shape_at(left - 1);
    chain_outermost(shape_at(depth), chain, depth);
}
