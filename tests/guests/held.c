/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory whose last contents no code has written. True: `received` was written by expect_none, with
 * 1, and then by a device, which copies "QEMU" there; `prepared` was never written, and has its
 * value from the kernel's file; `sent` was written only by main, with 7, which it still holds;
 * `fill` has written 3 to the four words of `table`, and then the device wrote two of them.
 */
#include "tests/guests/guest.h"

#define DMA_PORT   0x514 /* QEMU's fw_cfg: the address of a request, high half first, big-endian */
#define DMA_SELECT 8u    /* the item in the upper 16 bits; 0: "QEMU" */
#define DMA_READ   2u

struct request {
    uint32_t control, length; /* big-endian, like `address` */
    uint64_t address;
};

volatile uint64_t sent = 1, prepared = 0x1234; /* adjacent, with initial values, so in one page */
volatile uint64_t received, table[4];
static volatile struct request request;

static void out_long(uint16_t port, uint32_t value)
{
    __asm__ volatile("outl %0, %1" ::"a"(value), "Nd"(port) : "memory");
}

/* The device copies its item to `to`, before the second `out` has ended. */
static void receive(volatile void *to, unsigned length)
{
    request.control = __builtin_bswap32(DMA_SELECT | DMA_READ);
    request.length = __builtin_bswap32(length);
    request.address = __builtin_bswap64((uint64_t)to);
    out_long(DMA_PORT, 0);
    out_long(DMA_PORT + 4, __builtin_bswap32((uint32_t)(uint64_t)&request));
}

NOINLINE void expect_none(void)
{
    received = 1;
}

NOINLINE void fill(void)
{
    for (int i = 0; i < 4; i++)
        table[i] = 3;
}

void main(void)
{
    expect_none();
    fill();
    sent = 7;
    receive(&received, 4);
    receive(&table[1], 4);
    receive(&table[2], 4);
    KEEP_FRAME();
}
