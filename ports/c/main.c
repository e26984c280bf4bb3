/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel's work: three workers, and each other CPU, make jobs while Pitot records, or
 * the command line's commands run. Entered by boot.S.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

#define JOBS 20 /* per worker and per other CPU */

PITOT_TRACEPOINT(shop, job_done, 2, PITOT_FIELD(u32, job, "job=%u"),
                 PITOT_FIELD(text, worker, " worker=%s"));

uint64_t jobs_done;
static uint32_t others_begin, others_done; /* set by the first CPU; counted by the others */

void *memcpy(void *to, const void *from, size_t length)
{
    for (size_t i = 0; i < length; i++)
        ((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
    return to;
}

void *memset(void *to, int value, size_t length)
{
    for (size_t i = 0; i < length; i++)
        ((uint8_t *)to)[i] = (uint8_t)value;
    return to;
}

void event_init(const char *text)
{
    say(text);
}

__attribute__((noinline)) static void job_finish(uint32_t job)
{
    __atomic_fetch_add(&jobs_done, 1, __ATOMIC_RELAXED);
    PITOT_TRACE(job_done, job, threads[this_cpu()->current].name);
}

__attribute__((noinline)) static void job_run(uint32_t job)
{
    job_finish(job);
    __asm__ volatile("");
}

static void worker(void)
{
    for (uint32_t job = 0; job < JOBS; job++) {
        job_run(100 * this_cpu()->current + job);
        thread_yield();
    }
}

void other_main(void)
{
    uint32_t number = this_cpu()->current;

    while (!__atomic_load_n(&others_begin, __ATOMIC_ACQUIRE))
        __asm__ volatile("pause");
    pitot_thread_runs(number); /* PITOT */
    for (uint32_t job = 0; job < JOBS; job++)
        job_run(100 * number + job);
    __atomic_fetch_add(&others_done, 1, __ATOMIC_RELEASE);
    for (;;)
        __asm__ volatile("hlt");
}

static void wait_for_others(void)
{
    while (__atomic_load_n(&others_done, __ATOMIC_ACQUIRE) != CPUS - 1)
        __asm__ volatile("pause");
}

/* Until the second tick from now, at least a millisecond. */
static void wait_for_ticks(void)
{
    uint64_t before = ticks;

    while (*(volatile uint64_t *)&ticks < before + 2)
        __asm__ volatile("hlt");
}

/* struct multiboot_info begins with flags; its fifth word is the command line if bit 2 is set. */
static const char *options_of(const uint32_t *machine)
{
    const char *at = machine[0] & 4 ? (const char *)(uint64_t)machine[4] : "";

    while (*at && *at != ' ') /* the kernel's name */
        at++;
    return at;
}

void work(void)
{
    static const char *const names[THREADS] = {0, "baker", "cook", "smith"};

    for (uint32_t i = 1; i < THREADS; i++)
        thread_make(i, names[i], worker);
    for (uint32_t i = THREADS; i < OTHERS_END; i++) {
        threads[i].name = "helper";
        pitot_thread_named(i, threads[i].name); /* PITOT */
    }
    __atomic_store_n(&others_begin, 1, __ATOMIC_RELEASE);
    while (threads[1].runs || threads[2].runs || threads[3].runs)
        thread_yield();
    wait_for_others();
    wait_for_ticks();
}

void kernel_main(const uint32_t *machine)
{
    const char *options = options_of(machine);

    event_init("a kernel of its own\n");
    cpu_init();
    others_start();
    pitot_prepare(); /* PITOT */
    if (console_run) {
        console_run(options);
    } else {
        record_begin(options); /* PITOT */
        work();
        record_end(); /* PITOT */
    }
    say_number(jobs_done);
    say(" jobs\n");
    stop_machine(0);
}
