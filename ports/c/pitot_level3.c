/* SPDX-License-Identifier: BSD-2-Clause */
/* Level 3, many CPUs: the others wait in an interrupt while Pitot changes breakpoints. */
#include "ports/c/kernel.h"

#include "pitot.h"

static uint32_t asked, standing; /* written by the CPU that asks; counted by the others */

uint32_t cpu_number(void)
{
    return this_cpu()->number;
}

int others_park(void)
{
    __atomic_store_n(&asked, 1, __ATOMIC_RELEASE);
    others_interrupt(STAND_VECTOR);
    while (__atomic_load_n(&standing, __ATOMIC_ACQUIRE) != CPUS - 1)
        __asm__ volatile("pause");
    return 1;
}

void others_release(void)
{
    __atomic_store_n(&asked, 0, __ATOMIC_RELEASE);
    while (__atomic_load_n(&standing, __ATOMIC_ACQUIRE) > 0)
        __asm__ volatile("pause");
}

void rendezvous_wait(void)
{
    __atomic_fetch_add(&standing, 1, __ATOMIC_RELEASE);
    while (__atomic_load_n(&asked, __ATOMIC_ACQUIRE))
        __asm__ volatile("pause");
    pitot_cpu_resumes();
    __atomic_fetch_sub(&standing, 1, __ATOMIC_RELEASE);
}
