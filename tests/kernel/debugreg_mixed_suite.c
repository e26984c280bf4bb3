/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random instructions of the kernel, a few in turn, repeated, under random overlapping watches of
 * any alignment: a count is never above the model's, nor below it if doubtful hits are added, and
 * few hits are doubtful. A watch elsewhere makes the arbiter examine each hit; a single watch
 * counts what the machine reports.
 */
#include "arch/cpu.h"
#include "tests/kernel/ktap.h"
#include "tests/kernel/watch_model.h"

#define ROUNDS 4000
#define DOUBT  20 /* per cent of the counts, at most */

#define TURN_MAX 6 /* instructions of a turn */
#define TURNS    8

static uint8_t area[2 * WATCH_MODEL_AREA] __attribute__((aligned(2 * WATCH_MODEL_AREA)));
static uint64_t elsewhere;

static uint64_t random_value(void)
{
    return watch_model_below(3) ? (uint64_t)watch_model_below(1u << 31) << 17 : 0;
}

#define ACT(name, text)                                                                            \
    __attribute__((noinline)) static void name(uint8_t *to, uint8_t *from)                         \
    {                                                                                              \
        uint64_t value = random_value(), other = random_value();                                   \
                                                                                                   \
        __asm__ volatile(text                                                                      \
                         : "+D"(to), "+S"(from), "+a"(value), "+d"(other)                          \
                         :                                                                         \
                         : "rbx", "rcx", "memory", "cc");                                          \
    }

/* On a stack whose top is at `top` in the area. */
#define ACT_ON_STACK(name, top, text)                                                              \
    ACT(name, "mov %%rsp, %%rbx\n\t"                                                               \
              "lea " top ", %%rsp\n\t" text "\n\t"                                                 \
              "mov %%rbx, %%rsp")

ACT(store_1, "movb %%al, (%%rdi)")
ACT(store_2, "movw %%ax, (%%rdi)")
ACT(store_4, "movl %%eax, (%%rdi)")
ACT(store_8, "movq %%rax, (%%rdi)")
ACT(load_1, "movb (%%rsi), %%al")
ACT(load_2, "movzwl (%%rsi), %%eax")
ACT(load_4, "movl (%%rsi), %%eax")
ACT(load_8, "movq (%%rsi), %%rax")
ACT(follow, "movq (%%rsi), %%rsi")
ACT(follow_4, "movl (%%rsi), %%esi")
ACT(follow_sign, "movslq (%%rsi), %%rsi")
ACT(follow_byte, "movzbl (%%rsi), %%esi")
ACT(compare, "cmpl %%eax, (%%rsi)")
ACT(add, "addl %%eax, (%%rdi)")
ACT(lock_increment, "lock incq (%%rdi)")
ACT(exchange, "xchgl %%eax, (%%rdi)")
ACT(compare_exchange, "lock cmpxchgq %%rdx, (%%rdi)")
ACT(exchange_add, "lock xaddl %%eax, (%%rdi)")
ACT(bit_set, "btsq $3, (%%rdi)")
ACT(one_movs, "movsq")
ACT(one_stos, "stosl")
ACT(one_lods, "lodsq")
ACT(bits_far, "movl $41, %%ecx\n\tbtsl %%ecx, -4(%%rdi)")
ACT(jump_pointer, "leaq 1f(%%rip), %%rax\n\tmovq %%rax, (%%rdi)\n\tjmp *(%%rdi)\n1:")
ACT(rep_stosb, "movl $5, %%ecx\n\trep stosb")
ACT(rep_stosq, "movl $2, %%ecx\n\trep stosq")
ACT(rep_movsb, "movl $5, %%ecx\n\trep movsb")
ACT(rep_lodsl, "movl $3, %%ecx\n\trep lodsl")
ACT_ON_STACK(push_memory, "8(%%rdi)", "pushq (%%rsi)")
ACT_ON_STACK(pop_memory, "(%%rsi)", "popq (%%rdi)")
ACT_ON_STACK(push, "8(%%rdi)", "push %%rax")
ACT_ON_STACK(pop, "(%%rsi)", "pop %%rax")
ACT_ON_STACK(call, "8(%%rdi)", "call 1f\n\tjmp 2f\n1:\tret\n2:")
ACT_ON_STACK(call_pointer, "8(%%rdi)", "lea 1f(%%rip), %%rax\n\tcall *%%rax\n\tjmp 2f\n1:\tret\n2:")

enum { STEPS = 2 };

/*
 * An instruction reads at `from` or, if `both`, at `to`; it writes at `to`. The first HARD ones
 * have the accesses that are hardest to find.
 */
#define HARD 12

static const struct act {
    const char *name;
    void (*run)(uint8_t *to, uint8_t *from);
    struct {
        uint8_t reads, writes;
        bool both;
    } step[STEPS];
    bool aligned;   /* compilers always align it */
    unsigned count; /* iterations of a repeated instruction; 0: not repeated */
} acts[] = {
    {"call", call, {{0, 8, false}, {8, 0, true}}, true, 0},
    {"call_pointer", call_pointer, {{0, 8, false}, {8, 0, true}}, true, 0},
    {"follow", follow, {{8, 0, false}}, false, 0},
    {"follow_4", follow_4, {{4, 0, false}}, false, 0},
    {"follow_sign", follow_sign, {{4, 0, false}}, false, 0},
    {"follow_byte", follow_byte, {{1, 0, false}}, false, 0},
    {"bits_far", bits_far, {{4, 4, true}}, false, 0},
    {"jump_pointer", jump_pointer, {{0, 8, false}, {8, 0, true}}, false, 0},
    {"rep_stosb", rep_stosb, {{0, 1, false}}, false, 5},
    {"rep_stosq", rep_stosq, {{0, 8, false}}, false, 2},
    {"rep_movsb", rep_movsb, {{1, 1, false}}, false, 5},
    {"rep_lodsl", rep_lodsl, {{4, 0, false}}, false, 3},
    {"store_1", store_1, {{0, 1, false}}, false, 0},
    {"store_2", store_2, {{0, 2, false}}, false, 0},
    {"store_4", store_4, {{0, 4, false}}, false, 0},
    {"store_8", store_8, {{0, 8, false}}, false, 0},
    {"load_1", load_1, {{1, 0, false}}, false, 0},
    {"load_2", load_2, {{2, 0, false}}, false, 0},
    {"load_4", load_4, {{4, 0, false}}, false, 0},
    {"load_8", load_8, {{8, 0, false}}, false, 0},
    {"compare", compare, {{4, 0, false}}, false, 0},
    {"add", add, {{4, 4, true}}, false, 0},
    {"lock_increment", lock_increment, {{8, 8, true}}, true, 0},
    {"exchange", exchange, {{4, 4, true}}, true, 0},
    {"compare_exchange", compare_exchange, {{8, 8, true}}, true, 0},
    {"exchange_add", exchange_add, {{4, 4, true}}, true, 0},
    {"bit_set", bit_set, {{8, 8, true}}, false, 0},
    {"one_movs", one_movs, {{8, 8, false}}, false, 0},
    {"one_stos", one_stos, {{0, 4, false}}, false, 0},
    {"one_lods", one_lods, {{8, 0, false}}, false, 0},
    {"push_memory", push_memory, {{8, 8, false}}, true, 0},
    {"pop_memory", pop_memory, {{8, 8, false}}, true, 0},
    {"push", push, {{0, 8, false}}, true, 0},
    {"pop", pop, {{8, 0, false}}, true, 0},
};

/* The instructions of a round, executed several times. */
static struct turn {
    const struct act *act;
    unsigned to, from;
} turn[TURN_MAX];
static unsigned turn_length;

static void execute(const struct watch_model *model)
{
    uint64_t flags = arch_irq_save();

    for (unsigned i = 0; i < model->times; i++)
        for (unsigned at = 0; at < turn_length; at++)
            turn[at].act->run(area + turn[at].to, area + turn[at].from);
    arch_irq_restore(flags);
}

static unsigned larger(unsigned left, unsigned right)
{
    return left > right ? left : right;
}

static unsigned random_place(unsigned size, unsigned bytes, bool aligned)
{
    unsigned place = watch_model_below(WATCH_MODEL_AREA - bytes + 1);

    return aligned ? place & -size : place;
}

static struct turn random_act(void)
{
    unsigned all = sizeof(acts) / sizeof(acts[0]);
    unsigned number = watch_model_below(2) ? watch_model_below(HARD) : watch_model_below(all);
    const struct act *act = &acts[number];
    unsigned size = larger(act->step[0].reads, act->step[0].writes);
    unsigned bytes = size * larger(act->count, 1);
    bool aligned = act->aligned || watch_model_below(2);

    return (struct turn){act, random_place(size, bytes, aligned),
                         random_place(size, bytes, aligned)};
}

/* Returns the number of models. */
static unsigned choose(struct watch_model steps[TURN_MAX * STEPS])
{
    unsigned times = 1 + watch_model_below(TURNS), models = 0;

    turn_length = 1 + watch_model_below(TURN_MAX);
    for (unsigned at = 0; at < turn_length; at++) {
        const struct act *act = (turn[at] = random_act()).act;

        for (unsigned i = 0; i < STEPS; i++)
            steps[models++] =
                (struct watch_model){.name = act->name,
                                     .reads = act->step[i].reads,
                                     .writes = act->step[i].writes,
                                     .to = turn[at].to,
                                     .from = act->step[i].both ? turn[at].to : turn[at].from,
                                     .count = larger(act->count, 1),
                                     .times = times};
    }
    return models;
}

static void debugreg_mixed_claims(unsigned rounds)
{
    static const struct breakpoint_target kernel;
    static struct watch_model steps[TURN_MAX * STEPS];
    struct watch far;

    watch_model_start((uintptr_t)area, kernel);
    if (!watch_arm(&far, &elsewhere, sizeof(elsewhere), ARCH_WRITE))
        return;
    for (unsigned i = 0; i < rounds; i++) {
        unsigned models = choose(steps);

        watch_model_round(steps, models, execute);
    }
    ktap_equal(watch_disarm(&far), 0, "a watch elsewhere has no hit");
    watch_model_claims(DOUBT);
}

static int ktap_command_debugreg_mixed(int argc, char **argv)
{
    return watch_model_run(argc, argv, ROUNDS, debugreg_mixed_claims);
}

PITOT_COMMAND_AS(ktap_debugreg_mixed, "ktap-debugreg_mixed", "[ROUNDS SEED]",
                 "single instructions under random watches", ktap_command_debugreg_mixed, 0);
