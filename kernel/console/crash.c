/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command `crash HOW`, which can cause every kind of crash that is reported. Task context; it
 * returns if HOW is unknown.
 */
#include <linux/errno.h>
#include <stdint.h>

#include "arch/cpu.h"
#include "arch/memory.h"
#include "core/lib/assert.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/pitot.h"
#include "kernel/panic/panic.h"
#include "kernel/sched/wait_queue.h"

/*
 * The compiler must not know these values: it would remove or reject the faulty operations below.
 */
static volatile uintptr_t nowhere = 0x10;
static void (*volatile nothing)(void);
static volatile int zero;
static char data[16] = {(char)0xc3}; /* a `ret`, in case data is executable */

static void crash_read(void)
{
    (void)*(volatile uint64_t *)nowhere;
}

static void crash_write_text(void)
{
    *(volatile uint8_t *)arch_text_start() = 0;
}

static void crash_write_rodata(void)
{
    static const char constant[] = "constant";

    *(volatile char *)((uintptr_t)constant + nowhere - 0x10) = 'C';
}

static void crash_jump_data(void)
{
    void (*volatile function)(void) = (void (*)(void))(uintptr_t)data;

    function();
}

static void crash_jump_null(void)
{
    nothing();
}

static uint64_t crash_recurse_deeper(uint64_t depth);
static uint64_t (*volatile deeper)(uint64_t) = crash_recurse_deeper;

/* Has a frame that the compiler cannot share between calls. */
static uint64_t crash_recurse_deeper(uint64_t depth)
{
    volatile char frame[64];

    frame[depth % sizeof(frame)] = (char)depth;
    return deeper(depth + 1) + (uint64_t)frame[depth % sizeof(frame)];
}

static void crash_recurse(void)
{
    (void)deeper(0);
}

static void crash_thread(void (*function)(void *data))
{
    struct refusal why;
    struct thread *thread = thread_create("doomed", function, NULL, &why);

    if (thread)
        thread_join(thread);
}

static void recurse_in_thread(void *unused)
{
    (void)unused;
    crash_recurse();
}

static void crash_recurse_thread(void)
{
    crash_thread(recurse_in_thread);
}

static void crash_sleep_locked(void)
{
    static struct wait_queue queue = WAIT_QUEUE("nothing");
    static struct spinlock lock;

    spinlock_acquire(&lock);
    wait_queue_sleep(&queue, wait_queue_lock(&queue));
}

static void crash_divide(void)
{
    print("%d\n", 100 / zero);
}

static void crash_undefined(void)
{
    __builtin_trap();
}

static void crash_canonical(void)
{
    (void)*(volatile uint64_t *)(nowhere << 48);
}

static void crash_panic(void)
{
    panic("asked for by `crash panic`");
}

static void crash_assert(void)
{
    assert(nowhere == 0);
}

static void failing_write(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    (void)bytes;
    (void)length;
    panic("this console prints nothing");
}

static void crash_console(void)
{
    static struct sink failing = {failing_write};

    print_set_console(&failing);
    print("anything");
}

/* Not inline, so that a call chain shows the function that took the lock. */
__attribute__((noinline)) static _Noreturn void crash_spin(void)
{
    for (;;)
        arch_relax();
}

static void crash_hang(void)
{
    arch_irq_save();
    crash_spin();
}

static struct spinlock hung = {.name = "hung"};

static void wait_for_hung(void *unused)
{
    (void)unused;
    spinlock_acquire_irq(&hung);
}

/* CPU 1, if it runs, hangs as well: it waits for the lock. */
static void crash_hang_locked(void)
{
    struct refusal why;
    struct thread *thread = NULL;

    spinlock_acquire(&hung);
    if (arch_cpu_runs(1))
        thread = thread_create_on(1, "doomed", wait_for_hung, NULL, &why);
    while (thread && __atomic_load_n(&hung.next, __ATOMIC_RELAXED) == hung.serving + 1)
        arch_relax();
    arch_irq_save();
    crash_spin();
}

static const struct {
    const char *how;
    void (*crash)(void);
    const char *summary;
} ways[] = {
    {"read", crash_read, "read where no page is"},
    {"write-text", crash_write_text, "write to the kernel's code"},
    {"write-rodata", crash_write_rodata, "write to constant data"},
    {"jump-data", crash_jump_data, "execute data"},
    {"jump-null", crash_jump_null, "call a null pointer"},
    {"recurse", crash_recurse, "recurse until the stack runs out"},
    {"recurse-thread", crash_recurse_thread, "the same in a thread of its own"},
    {"sleep-locked", crash_sleep_locked, "sleep with a spinlock held"},
    {"divide", crash_divide, "divide by zero"},
    {"undefined", crash_undefined, "execute an undefined instruction"},
    {"non-canonical", crash_canonical, "read a non-canonical address"},
    {"panic", crash_panic, "call panic"},
    {"assert", crash_assert, "fail an assertion"},
    {"console", crash_console, "fail in what the console prints with"},
    {"hang", crash_hang, "spin for ever with interrupts off, for watchdog="},
    {"hang-locked", crash_hang_locked, "the same, holding a spinlock that CPU 1 waits for"},
};

#define WAYS (sizeof(ways) / sizeof(ways[0]))

static void crash_words(int argc, char **argv)
{
    (void)argv;
    for (size_t i = 0; argc == 2 && i < WAYS; i++)
        pitot_word(ways[i].how);
}

static int crash_run(int argc, char **argv)
{

    for (size_t i = 0; argc == 2 && i < WAYS; i++)
        if (strcmp(argv[1], ways[i].how) == 0)
            ways[i].crash();
    pitot_print("crash: say how to crash; there are\n");
    for (size_t i = 0; i < WAYS; i++)
        pitot_print("  %-15s %s\n", ways[i].how, ways[i].summary);
    return -EINVAL;
}

PITOT_COMMAND_WITH(crash, "crash", "HOW", "crashes the kernel on purpose", crash_run, 0,
                   crash_words);
