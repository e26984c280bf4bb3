/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads on a running machine: switches keep registers, the timer preempts a thread that does not
 * yield, threads free everything when they exit, and every chain of a suspended thread is complete.
 */
#include "arch/memory.h"
#include "core/lib/string.h"
#include "core/symbols/symbols.h"
#include "core/unwind/unwind.h"
#include "kernel/lock/kernel_lock.h"
#include "kernel/panic/panic.h"
#include "kernel/sched/preempt.h"
#include "kernel/sched/wait_queue.h"
#include "kernel/sched/workqueue.h"
#include "kernel/time/ticks.h"
#include "kernel/time/timer.h"
#include "tests/kernel/ktap.h"

#define MS 1000000ull

/* tests/kernel/sched_registers.asm */
uint64_t sched_call_with(uint64_t pattern, uint64_t flag, void *function, uint64_t first,
                         uint64_t second);
uint64_t sched_spin_with(uint64_t pattern, const volatile uint64_t *stop);
#define FLAG_ID (1ull << 21)

static unsigned threads_alive(void)
{
    unsigned alive = 0;

    for (unsigned i = 0; i < THREADS_MAX; i++)
        alive += thread_at(i) != NULL;
    return alive;
}

/* Starts a thread without which the suite cannot continue. */
static struct thread *start(const char *name, void (*function)(void *), void *data)
{
    struct refusal why;
    struct thread *thread = thread_create(name, function, data, &why);

    if (!thread)
        panic("%s", why.text);
    return thread;
}

/* --- Creation and exit. --- */

static void add_one(void *data)
{
    __atomic_fetch_add((uint64_t *)data, 1, __ATOMIC_RELAXED);
}

static void add_one_and_exit(void *data)
{
    add_one(data);
    thread_exit();
}

static void claim_storm(void)
{
    unsigned before = threads_alive();
    uint64_t ran = 0;
    struct thread *wave[20];
    uint32_t pid;

    for (unsigned round = 0; round < 50; round++) {
        for (unsigned i = 0; i < 20; i++)
            wave[i] = start("wave", i % 2 ? add_one : add_one_and_exit, &ran);
        for (unsigned i = 20; i-- > 0;)
            thread_join(wave[i]);
    }
    ktap_equal(ran, 1000, "a thousand threads run once each");
    ktap_equal(threads_alive(), before, "... and leave no slot taken");
    wave[0] = start("one", add_one, &ran);
    pid = wave[0]->pid;
    ktap_ok(thread_find(pid) == wave[0], "a thread is found by its number");
    thread_join(wave[0]);
    ktap_ok(thread_find(pid) == NULL, "... until it was joined");
}

static void claim_full(void)
{
    static struct thread *all[THREADS_MAX];
    unsigned before = threads_alive(), made = 0;
    struct refusal why;
    uint64_t ran = 0;
    char expected[64];

    print_into(expected, sizeof(expected), "no room for the thread many: at most %u can exist",
               (unsigned)THREADS_MAX);
    preempt_off(); /* none runs, and so none exits, before all are created */
    while (made < THREADS_MAX && (all[made] = thread_create("many", add_one, &ran, &why)))
        made++;
    preempt_on();
    ktap_equal(before + made, THREADS_MAX, "every slot can be had");
    ktap_ok(strcmp(why.text, expected) == 0, "one more is refused: %s", why.text);
    while (made-- > 0)
        thread_join(all[made]);
    ktap_equal(threads_alive(), before, "... and all slots come back");
}

/* --- Registers. --- */

#define YIELDS 5000

struct yielder {
    uint64_t pattern, flag, wrong;
};

/* Both sides of a switch without the scheduler, whose own code also keeps registers. */
static struct {
    uintptr_t ours, theirs;
    uint64_t wrong;
} bare;

static uint64_t bare_switch(uint64_t pattern, uint64_t flag, uintptr_t *from, uintptr_t to)
{
    return sched_call_with(pattern, flag, arch_switch, (uintptr_t)from, to);
}

static void bare_other_side(void)
{
    for (uint64_t i = 0;; i++)
        bare.wrong += bare_switch(~i << 8, i % 2 ? FLAG_ID : 0, &bare.theirs, bare.ours);
}

static void never(void *unused)
{
    (void)unused;
}

/* Uses the stack of a thread that is not allowed to run meanwhile. */
static void claim_bare_switch(void)
{
    struct arch_stack part;
    struct thread *lender;
    uint64_t irq;

    preempt_off();
    lender = start("lender", never, NULL);
    part = *lender->stack;
    part.high -= PAGE_SIZE; /* its own beginning is not changed */
    bare.theirs = arch_thread_prepare(&part, bare_other_side);
    irq = arch_irq_save();
    for (uint64_t i = 0; i < 1000; i++)
        bare.wrong += bare_switch(i << 16, i % 3 ? FLAG_ID : 0, &bare.ours, bare.theirs);
    arch_irq_restore(irq);
    preempt_on();
    thread_join(lender);
    ktap_equal(bare.wrong, 0, "the switch itself exchanges what a call preserves, and the flags");
}

static void yield_often(void *data)
{
    struct yielder *yielder = data;

    for (unsigned i = 0; i < YIELDS; i++)
        yielder->wrong += sched_call_with(yielder->pattern + i, yielder->flag, thread_yield, 0, 0);
}

static void claim_registers(void)
{
    struct yielder yielders[3] = {{.pattern = 0x1111111111111111, .flag = FLAG_ID},
                                  {.pattern = 0x7777777777777777},
                                  {.pattern = 0xeeeeeeeeeeeeeeee, .flag = FLAG_ID}};
    struct thread *threads[3];
    uint64_t switches = 0, wrong = 0;

    for (unsigned i = 0; i < 3; i++)
        threads[i] = start("yielder", yield_often, &yielders[i]);
    while (threads[0]->state != THREAD_ENDED || threads[1]->state != THREAD_ENDED ||
           threads[2]->state != THREAD_ENDED)
        thread_yield();
    for (unsigned i = 0; i < 3; i++) {
        switches += threads[i]->switches;
        wrong += yielders[i].wrong;
        thread_join(threads[i]);
    }
    ktap_ok(switches >= 3 * YIELDS, "three threads take turns fifteen thousand times");
    ktap_equal(wrong, 0, "a switch keeps what a call preserves, and each thread's flags");
}

struct spinner {
    uint64_t pattern, wrong;
    const volatile uint64_t *stop;
};

static void spin(void *data)
{
    struct spinner *spinner = data;

    spinner->wrong = sched_spin_with(spinner->pattern, spinner->stop);
}

/* --- Preemption, and the chains of preempted threads. --- */

struct look {
    bool whole;
    char last[32];
    bool has_entry, has_spin;
};

static struct look look_at(const struct thread *thread)
{
    struct look look = {.last = ""};
    struct unwind state;
    struct regs regs;
    struct symbol symbol;

    arch_switched_regs(thread->sp, &regs);
    for (unwind_start(&state, &regs); !unwind_done(&state); unwind_next(&state)) {
        if (!symbols_find_address(state.ip - !unwind_is_exact(&state), &symbol))
            symbol.name = "?";
        print_into(look.last, sizeof(look.last), "%s", symbol.name);
        look.has_entry |= strcmp(symbol.name, "trap_entry") == 0;
        look.has_spin |= strcmp(symbol.name, "sched_spin_with") == 0;
    }
    look.whole = state.end == UNWIND_OUTERMOST;
    return look;
}

static void claim_preempted_chain(const struct thread *thread)
{
    struct look look;

    preempt_off();
    look = look_at(thread);
    preempt_on();
    ktap_ok(look.has_entry && look.has_spin,
            "the chain of a preempted thread leads through the interrupt to where it was");
    ktap_ok(look.whole && strcmp(look.last, "thread_start") == 0,
            "... and ends, whole, where the thread began");
}

static void claim_preemption(void)
{
    static volatile uint64_t stop;
    struct spinner spinners[3] = {{.pattern = 0x123456789abcdef0, .stop = &stop},
                                  {.pattern = 0xfedcba9876543210, .stop = &stop},
                                  {.pattern = 0x0f0f0f0f0f0f0f0f, .stop = &stop}};
    struct thread *threads[3];
    uint64_t least = UINT64_MAX, most = 0, wrong = 0;

    stop = 0;
    preempt_off(); /* none runs before all are created */
    for (unsigned i = 0; i < 3; i++)
        threads[i] = start("spinner", spin, &spinners[i]);
    preempt_on();
    /* This thread spins as well: without preemption it would never continue. */
    while (threads[0]->switches < 8)
        arch_relax();
    preempt_off(); /* nor between two checks */
    for (unsigned i = 0; i < 3; i++) {
        least = threads[i]->switches < least ? threads[i]->switches : least;
        most = threads[i]->switches > most ? threads[i]->switches : most;
    }
    preempt_on();
    ktap_equal(most, least, "four threads that never yield get the CPU in turn");
    claim_preempted_chain(threads[1]);
    stop = 1;
    for (unsigned i = 0; i < 3; i++) {
        thread_join(threads[i]);
        wrong += spinners[i].wrong;
    }
    ktap_equal(wrong, 0, "... and lose no register and no flag by it");
}

static void count_up(void *data)
{
    struct spinner *spinner = data;

    while (!*spinner->stop)
        __atomic_fetch_add(&spinner->pattern, 1, __ATOMIC_RELAXED);
}

static void wait_ticks(uint64_t count)
{
    for (uint64_t until = ticks + count; ticks < until;)
        arch_relax();
}

/*
 * Counts turns, not the thread's work in them: if a host stops its emulator within a switch, a tick
 * is due before the first instruction, and ends the turn there.
 */
static void claim_preempt_off(void)
{
    static volatile uint64_t stop;
    struct spinner counter = {.stop = &stop};
    struct thread *thread;
    uint64_t at, turns;

    stop = 0;
    thread = start("counter", count_up, &counter);
    wait_ticks(3);
    if (ktap_ok(thread->switches > 0, "a thread that is runnable gets its turn"))
        while (counter.pattern == 0)
            arch_relax();
    preempt_off();
    preempt_off();
    at = counter.pattern;
    turns = thread->switches;
    wait_ticks(3);
    preempt_on();
    wait_ticks(3);
    ktap_equal(counter.pattern, at, "while preemption is off, once or twice, nobody else runs");
    ktap_ok(pitot_preemption[0].wanted, "... and the switch that is due is remembered");
    preempt_on();
    ktap_ok(thread->switches > turns, "... and made up for at once");
    stop = 1;
    thread_join(thread);
}

/* --- Stacks. --- */

static void wait_for_stop(void *data)
{
    while (!*(volatile uint64_t *)data)
        thread_yield();
}

static void claim_stacks(void)
{
    static volatile uint64_t stop;
    struct thread *thread;
    const struct arch_stack *stack;
    unsigned unmapped = 0, found = 0, chains = 0, alive = 0;

    stop = 0;
    thread = start("a long thread's name", wait_for_stop, (void *)&stop);
    thread_yield();
    stack = thread->stack;
    ktap_ok(strcmp(thread->name, "a long thread's") == 0, "a name is cut at 15 letters");
    ktap_ok(strcmp(arch_stack_find(stack->high - 8)->thread, thread->name) == 0,
            "its stack is found, and knows whose it is");
    ktap_ok(thread_stack_used(thread) > 100 && thread_stack_used(thread) < 4096,
            "how much of it was used is told by what is left of the fill");
    preempt_off();
    for (unsigned i = 0; i < THREADS_MAX; i++) {
        struct thread *other = thread_at(i);

        if (!other)
            continue;
        alive++;
        stack = other->stack;
        unmapped += !arch_mapped(stack->guard, 1) && !arch_mapped(stack->low - 1, 1) &&
                    arch_mapped(stack->low, stack->high - stack->low);
        found += arch_stack_find(stack->low) == stack && arch_stack_find(stack->high) == stack &&
                 arch_stack_find(stack->guard + 8) == stack;
        chains += other == thread_current() || look_at(other).whole;
    }
    preempt_on();
    ktap_equal(unmapped, alive, "below every thread's stack lies a page that is not mapped");
    ktap_equal(found, alive, "every thread's stack is found by its first and last address");
    ktap_equal(chains, alive, "every thread that does not run has a whole chain");
    stop = 1;
    thread_join(thread);
}

/* --- Time and work. --- */

static struct {
    unsigned order[8];
    volatile unsigned count;
} fired;

static void note_fired(void *data)
{
    if (fired.count < 8)
        fired.order[fired.count] = (unsigned)(uintptr_t)data;
    fired.count++;
}

/*
 * Each timer fired once, in the order of their due times. If the host of an emulator pauses it
 * between two starts, a later start may be due earlier.
 */
static bool fired_in_order(const struct timer timers[3])
{
    unsigned seen = 0;
    uint64_t last = 0;

    for (unsigned i = 0; i < 3; i++)
        for (unsigned j = 0; j < 3; j++)
            if ((uintptr_t)timers[j].data == fired.order[i]) {
                if (timers[j].due_ns < last)
                    return false;
                last = timers[j].due_ns;
                seen |= 1u << j;
            }
    return fired.count == 3 && seen == 7;
}

static void claim_timers(void)
{
    struct timer timers[3] = {{.function = note_fired, .data = (void *)3},
                              {.function = note_fired, .data = (void *)1},
                              {.function = note_fired, .data = (void *)2}};
    struct timer beat = {.function = note_fired, .data = (void *)9};
    uint64_t begin = arch_clock_ns();

    fired.count = 0;
    timer_start(&timers[0], 60 * MS, 0);
    timer_start(&timers[1], 20 * MS, 0);
    timer_start(&timers[2], 40 * MS, 0);
    thread_sleep_ns(100 * MS);
    ktap_ok(arch_clock_ns() - begin >= 100 * MS, "a sleep is not shorter than was asked for");
    ktap_ok(fired_in_order(timers), "timers fire once, in the order of their times");
    fired.count = 0;
    timer_start(&beat, 0, 10 * MS);
    while (fired.count < 4)
        thread_sleep_ns(10 * MS);
    ktap_ok(timer_cancel(&beat), "a periodic timer fires again and again, and can be cancelled");
    fired.count = 0;
    wait_ticks(4);
    ktap_equal(fired.count, 0, "... and then is silent");
}

static struct {
    uint64_t count, wrong_order, wrong_thread;
} worked;

static void do_work(struct work *work)
{
    worked.wrong_order += (uint64_t)(uintptr_t)work->data != worked.count;
    worked.wrong_thread += strcmp(thread_current()->name, "kworker/0") != 0;
    worked.count++;
}

static void do_work_again(struct work *work)
{
    if (++worked.count < 10)
        work_queue(work);
}

static void queue_work_from_interrupt(void *data)
{
    work_queue(data);
}

static void claim_work(void)
{
    static struct work items[100];
    struct work again = {.function = do_work_again};
    struct work late = {.function = do_work, .data = NULL};
    struct timer timer = {.function = queue_work_from_interrupt, .data = &late};

    worked.count = worked.wrong_order = worked.wrong_thread = 0;
    preempt_off();
    for (unsigned i = 0; i < 100; i++) {
        items[i] = (struct work){.function = do_work, .data = (void *)(uintptr_t)i};
        work_queue(&items[i]);
    }
    ktap_ok(!work_queue(&items[99]), "work that is queued is not queued twice");
    preempt_on();
    work_flush();
    ktap_equal(worked.count, 100, "a flush waits until all has run");
    ktap_equal(worked.wrong_order + worked.wrong_thread, 0, "... in order, by kworker/0");
    worked.count = 0;
    work_queue(&again);
    while (worked.count < 10)
        thread_yield();
    ktap_ok(true, "work may queue itself");
    work_flush();
    worked.count = 0;
    timer_start(&timer, 0, 0);
    while (worked.count == 0)
        thread_sleep_ns(10 * MS);
    work_flush();
    ktap_equal(worked.wrong_thread, 0, "an interrupt may queue it");
}

/* --- The big lock. --- */

struct locker {
    volatile uint64_t *inside, *count;
    uint64_t wrong;
};

static void lock_and_be_preempted(void *data)
{
    struct locker *locker = data;

    for (unsigned i = 0; i < 200; i++) {
        lock_kernel();
        lock_kernel();
        locker->wrong += (*locker->inside)++ != 0;
        thread_yield();
        unlock_kernel();
        (*locker->count)++;
        (*locker->inside)--;
        unlock_kernel();
    }
}

static void claim_kernel_lock(void)
{
    static volatile uint64_t inside, count;
    struct locker lockers[4];
    struct thread *threads[4];
    uint64_t before = kernel_lock_contended(), wrong = 0;

    inside = count = 0;
    for (unsigned i = 0; i < 4; i++) {
        lockers[i] = (struct locker){.inside = &inside, .count = &count};
        threads[i] = start("locker", lock_and_be_preempted, &lockers[i]);
    }
    for (unsigned i = 0; i < 4; i++) {
        thread_join(threads[i]);
        wrong += lockers[i].wrong;
    }
    ktap_equal(count, 800, "four threads take the kernel lock two hundred times each");
    ktap_equal(wrong, 0, "... never two at once, whoever gives the CPU away in between");
    ktap_ok(kernel_lock_contended() - before > 400, "... and in turn: most had to wait");
    ktap_equal(kernel_flag, 0, "it is free in the end");
}

static void sched_claims(void)
{
    claim_storm();
    claim_full();
    claim_bare_switch();
    claim_registers();
    claim_preemption();
    claim_preempt_off();
    claim_stacks();
    claim_timers();
    claim_work();
    claim_kernel_lock();
    ktap_equal(preempt_count(), 0, "preemption is on in the end");
}

KTAP_SUITE(sched, "threads: switches, preemption, stacks, timers, work");
