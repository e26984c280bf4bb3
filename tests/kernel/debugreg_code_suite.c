/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instruction breakpoints, single steps, simultaneous causes, refusals, and that nothing is lost
 * meanwhile.
 */
#include "arch/step.h"
#include "arch/x86_64/debug/debugreg.h"
#include "kernel/time/ticks.h"
#include "kernel/x86_64/cpu/percpu.h"
#include "kernel/x86_64/entry/stacks.h"
#include "tests/kernel/ktap.h"
#include "tests/kernel/watch.h"

#define FLOOD_TICKS 10
/* A hundred times the hits that QEMU has in FLOOD_TICKS ticks. */
#define FLOOD_MOST 1000000

static volatile uint32_t word;
static volatile uint64_t steps;

__attribute__((noinline)) static void callee(void)
{
    word++;
}

static void (*volatile call)(void) = callee; /* keeps calls from being merged */

static void claim_execute(void)
{
    struct watch watch;

    if (!watch_arm(&watch, (void *)(uintptr_t)callee, 1, ARCH_EXECUTE))
        return;
    word = 0;
    for (unsigned i = 0; i < 100; i++)
        call();
    ktap_equal(watch_disarm(&watch), 100, "an instruction breakpoint in a loop hits each time");
    ktap_equal(word, 100, "... and its instruction runs each time: RF lets it pass");
    ktap_equal(watch.ip, (uintptr_t)callee, "... the trap's ip is the instruction itself");
}

static void count_step(struct regs *regs)
{
    (void)regs;
    steps++;
}

/*
 * Steps through the instructions between the two popfq; the second one's own step counts, the first
 * one's does not.
 */
#define STEP(instructions)                                                                         \
    do {                                                                                           \
        uint64_t irq = arch_irq_save();                                                            \
        steps = 0;                                                                                 \
        arch_step_set_handlers(count_step, NULL);                                                  \
        step_through_##instructions();                                                             \
        arch_step_set_handlers(NULL, NULL);                                                        \
        arch_irq_restore(irq);                                                                     \
    } while (0)

void step_through_nops(void);   /* tests/kernel/step.asm: 5 nop */
void step_through_string(void); /* rep stosb of 16 bytes */
void step_through_mov_ss(void); /* 2 nop, mov ss, nop */

/* Each of them ends with pushfq, and, popfq: three more steps. */
static void claim_steps(void)
{
    STEP(nops);
    ktap_equal(steps, 5 + 3, "single step: one trap an instruction");
    STEP(string);
    ktap_ok(steps == 16 + 3 || steps == 16 + 1 + 3,
            "... one an iteration of a rep string instruction, and on some one more with rcx at 0");
    STEP(mov_ss);
    ktap_equal(steps, 4 - 1 + 3, "... none right behind mov ss, whose shadow hides it");
}

static void claim_two_causes(void)
{
    struct watch execute, write;

    watch_arm(&execute, (void *)(uintptr_t)callee, 1, ARCH_EXECUTE);
    watch_arm(&write, &word, 4, ARCH_READ_WRITE);
    call();
    ktap_equal(watch_disarm(&execute), 1,
               "an instruction breakpoint and a watch, one register each");
    ktap_ok(watch_disarm(&write) >= 1, "... both hit");
}

/*
 * When they are disarmed, registers 1 to 3 keep old addresses: their bits in DR6 then have no
 * meaning.
 */
static void claim_disarmed(void)
{
    struct watch first, second;
    static volatile uint32_t other;

    watch_arm(&first, &word, 4, ARCH_WRITE);
    watch_arm(&second, &other, 4, ARCH_WRITE);
    watch_disarm(&second);
    word = 1;
    other = 1;
    ktap_equal(watch_disarm(&first), 1, "a disarmed register's address does not hit");
    ktap_equal(second.hits, 0, "... nor is its owner told");
}

static void claim_refusals(void)
{
    static volatile uint64_t apart[4]; /* one word each, so that they cannot share a register */
    struct watch held[4];

    watch_expect_refusal((void *)((uintptr_t)&word + 1), 4, ARCH_WRITE, EINVAL,
                         "unaligned is refused");
    watch_expect_refusal((void *)(1ull << 60), 4, ARCH_WRITE, EINVAL, "non-canonical is refused");
    watch_expect_refusal(&word, 1, ARCH_EXECUTE, EINVAL,
                         "an instruction breakpoint on data is refused");
    watch_expect_refusal(stack_task.guard, 8, ARCH_WRITE, EFAULT, "a guard page is refused");
    watch_expect_refusal(stack_ist[IST_DEBUG - 1].bytes + STACK_SIZE - 8, 8, ARCH_WRITE, EPERM,
                         "the debug trap's stack is refused");
    watch_expect_refusal(&percpu[0].dr7, 8, ARCH_WRITE, EPERM, "the shadow of DR7 is refused");
    watch_expect_refusal((void *)((uintptr_t)&percpu[0] - 4), 8, ARCH_READ_WRITE, EINVAL,
                         "what begins before it and reaches into it is refused for its alignment");
    for (unsigned i = 0; i < 4; i++)
        watch_arm(&held[i], &apart[i], 1, ARCH_WRITE);
    watch_expect_refusal(&word, 4, ARCH_WRITE, ENOSPC, "a fifth register is refused");
    for (unsigned i = 0; i < 4; i++)
        watch_disarm(&held[i]);
    ktap_equal(breakpoint_used(), 0, "refusals leave nothing armed");
}

/*
 * The interrupt's frame is written to the watched bytes, directly below this function's stack
 * pointer.
 */
static void claim_interrupted_stack(void)
{
    struct watch watches[4];
    uint64_t before, hits = 0;
    uintptr_t sp, frame;

    __asm__ volatile("mov %%rsp, %0" : "=r"(sp));
    frame = (sp & ~(uintptr_t)15) - sizeof(struct regs);
    for (unsigned i = 0; i < 4; i++)
        watch_arm(&watches[i], (void *)(frame + 48 * i), 8, ARCH_WRITE);
    before = ticks;
    while (ticks < before + 20) /* no call here, so the stack pointer does not change */
        ;
    for (unsigned i = 0; i < 4; i++)
        hits += watch_disarm(&watches[i]);
    ktap_ok(hits >= 20, "watches below the stack pointer hit as interrupts come");
    print("#   %llu hits\n", (unsigned long long)hits);
    ktap_ok(ticks >= before + 20, "... and no interrupt is lost for it: the timer goes on");
}

/* Limited by hits, not by the clock: while a host stops its emulator, time passes without ticks. */
static void claim_timer_under_load(void)
{
    uint64_t before = ticks, until = before + FLOOD_TICKS;
    struct watch watch;

    watch_arm(&watch, &word, 4, ARCH_WRITE);
    for (unsigned i = 0; i < FLOOD_MOST && ticks < until; i++)
        word++;
    watch_disarm(&watch);
    ktap_ok(ticks >= until, "the timer ticks under a flood of hits");
    print("#   %llu ticks, %llu hits\n", (unsigned long long)(ticks - before),
          (unsigned long long)watch.hits);
}

static void debugreg_code_claims(void)
{
    claim_execute();
    claim_steps();
    claim_two_causes();
    claim_disarmed();
    claim_refusals();
    claim_interrupted_stack();
    claim_timer_under_load();
}

KTAP_SUITE(debugreg_code, "instruction breakpoints, single steps, refusals, interrupts");
