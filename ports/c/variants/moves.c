/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel as a preemptive one of two CPUs: whenever Pitot has let the other CPU go, the
 * interrupt that follows moves the thread there, and the other CPU's thread here. Linked in front
 * of what it wraps (port.mk) for tests/boot/ports_c.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

#define APIC_COMMAND 0xfee00300
#define TO_SELF      0x44000

static struct context {
    uint64_t sp;
    uint32_t thread;
} left[CPUS]; /* by that CPU */
static uint8_t stacks[CPUS][4096] __attribute__((aligned(16)));
static uint32_t moving;     /* 1 + the CPU whose thread wants to move; 0: none */
static uint32_t turn[CPUS]; /* moves that the CPU has taken part in */

void __wrap_pitot_stand(void *frame);
void __real_pitot_stand(void *frame);
void __wrap_others_ask(void);
void __real_others_ask(void);
const char *__wrap_pitot_start(const char *options);
const char *__real_pitot_start(const char *options);

/* A thread_begin of its own, whose stack the CPU leaves for that of the other CPU's thread. */
static void exchange(void)
{
    uint32_t me = this_cpu()->number, other = !me, mine = moving == 1 + me;
    uint64_t unused;

    if (!mine)
        __atomic_fetch_add(&turn[me], 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&turn[other], __ATOMIC_ACQUIRE) != turn[me] + mine)
        __asm__ volatile("pause");
    if (mine) {
        moving = 0;
        __atomic_fetch_add(&turn[me], 1, __ATOMIC_RELEASE);
    }
    this_cpu()->current = left[other].thread;
    pitot_thread_runs(left[other].thread);
    thread_switch(&unused, left[other].sp);
}

void __wrap_pitot_stand(void *frame)
{
    uint32_t me = this_cpu()->number, mover;
    uint64_t *top = (uint64_t *)(stacks[me] + sizeof(stacks[me]));

    __real_pitot_stand(frame);
    mover = __atomic_load_n(&moving, __ATOMIC_ACQUIRE);
    if (!mover)
        return;
    top[-2] = (uint64_t)thread_begin;
    top[-4] = (uint64_t)exchange; /* rbx */
    left[me].thread = this_cpu()->current;
    if (mover == 1 + me)
        others_interrupt(STAND_VECTOR);
    thread_switch(&left[me].sp, (uint64_t)&top[-8]);
}

/* The interrupt comes as soon as interrupts are on. */
static void move(void)
{
    __atomic_store_n(&moving, 1 + this_cpu()->number, __ATOMIC_RELEASE);
    *(volatile uint32_t *)APIC_COMMAND = TO_SELF | STAND_VECTOR;
}

/* Interrupts are off until Pitot has let the other CPU go. */
void __wrap_others_ask(void)
{
    __real_others_ask();
    move();
}

/* Back to the CPU that the timer interrupts. */
const char *__wrap_pitot_start(const char *options)
{
    const char *wrong = __real_pitot_start(options);

    while (this_cpu()->number)
        move();
    return wrong;
}
