/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A frame with 128 KiB of locals; then one with 12 KiB and an array of variable length, whose scope
 * ends with a load of rsp. True: leaf < big < outer < all < main five times; big returns five
 * times; leaf < room < rooms < all < main nine times; one thread besides the boot's.
 */
#include "tests/guests/guest.h"

static uint8_t stack[1 << 18] __attribute__((aligned(4096)));
volatile uint64_t count;

NOINLINE void leaf(char *bytes)
{
    count++;
    __asm__ volatile("" ::"r"(bytes) : "memory");
}

NOINLINE void big(void)
{
    char bytes[131072];

    __asm__ volatile("" ::"r"(bytes) : "memory");
    leaf(bytes);
    __asm__ volatile("" ::"r"(bytes) : "memory");
}

NOINLINE void outer(void)
{
    for (int i = 0; i < 5; i++)
        big();
    KEEP_FRAME();
}

NOINLINE void room(uint64_t size)
{
    char bytes[12288];

    __asm__ volatile("" ::"r"(bytes) : "memory");
    for (uint64_t i = 0; i < 3; i++) {
        {
            char more[size + i];

            __asm__ volatile("" ::"r"(more) : "memory");
        }
        leaf(bytes);
    }
    __asm__ volatile("" ::"r"(bytes) : "memory");
}

NOINLINE void rooms(void)
{
    for (int i = 0; i < 3; i++)
        room(40);
    KEEP_FRAME();
}

USED NOINLINE void all(void)
{
    outer();
    rooms();
    quit();
}

void main(void)
{
    __asm__ volatile("mov %0, %%rsp; call all" ::"r"(stack + sizeof(stack)));
    __builtin_unreachable();
}
