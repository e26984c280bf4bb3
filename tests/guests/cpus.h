/* SPDX-License-Identifier: BSD-2-Clause */
/* Guests of up to four CPUs. The first CPU calls start_cpus; each other one then runs cpu_main. */
#pragma once

#include "tests/guests/guest.h"

extern void cpu_main(unsigned cpu);
extern volatile unsigned cpus_begun; /* including the first one */
extern const char cpus_awake[], cpus_awake_end[];

/* Intel SDM vol. 3, "MP Initialization Example". */
static inline void start_cpus(unsigned count)
{
    static uint64_t devices[512] __attribute__((aligned(4096)));
    volatile uint32_t *apic = (void *)0xfee00000u;
    volatile char *to = (void *)0x8000;

    for (const char *from = cpus_awake; from < cpus_awake_end; from++)
        *to++ = *from;
    devices[(0xfee00000u >> 21) % 512] = 0xfee00000u | 0x93;
    ((uint64_t *)(pml4[0] & ~UINT64_C(0xfff)))[3] = (uint64_t)devices | 3;
    apic[0xf0 / 4] = 0x1ff;
    apic[0x300 / 4] = 0xc4500; /* INIT, then start-up at 0x8000, to all others */
    for (volatile int wait = 0; wait < 100000; wait++)
        ;
    apic[0x300 / 4] = 0xc4608;
    while (cpus_begun < count)
        __asm__ volatile("pause");
}

/* A lock, and CPUs that wait for each other. */
static inline void lock_take(volatile int *lock)
{
    while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
        __asm__ volatile("pause");
}

static inline void lock_give(volatile int *lock)
{
    __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

static inline void meet(volatile unsigned *arrived, unsigned count)
{
    unsigned turn = __atomic_fetch_add(arrived, 1, __ATOMIC_SEQ_CST) / count;

    while (*arrived / count == turn)
        __asm__ volatile("pause");
}
