/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the guests of tests/boot/outside_guests.t. Each is a kernel of one file whose calls,
 * interrupts and stack switches are known by construction, and listed at its head.
 */
#pragma once

#include <stdint.h>

#define NOINLINE __attribute__((noinline))
#define USED     __attribute__((used))

/* After a call: keeps the compiler from turning it into a jump. */
#define KEEP_FRAME() __asm__ volatile("")

extern void quit(void);
void main(void);

struct gate {
    uint16_t low, selector;
    uint8_t stack, type;
    uint16_t middle;
    uint32_t high, reserved;
};
extern struct gate idt[256];
extern uint64_t gdt[], pml4[], pd[];

static inline void set_gate(int vector, void (*handler)(void), int stack)
{
    uint64_t address = (uint64_t)handler;

    idt[vector] =
        (struct gate){(uint16_t)address,         8, (uint8_t)stack, 0x8e, (uint16_t)(address >> 16),
                      (uint32_t)(address >> 32), 0};
}

static inline void out(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" ::"a"(value), "Nd"(port));
}

/* The PIC's line 0 is vector 32, all others are off; the PIT's period is `divisor` / 1193182 s. */
static inline void start_timer(unsigned divisor)
{
    static const struct {
        uint16_t port;
        uint8_t value;
    } writes[] = {{0x20, 0x11}, {0xa0, 0x11}, {0x21, 32}, {0xa1, 40},   {0x21, 4},
                  {0xa1, 2},    {0x21, 1},    {0xa1, 1},  {0x21, 0xfe}, {0xa1, 0xff}};

    for (unsigned i = 0; i < sizeof(writes) / sizeof(*writes); i++)
        out(writes[i].port, writes[i].value);
    out(0x43, 0x34);
    out(0x40, (uint8_t)divisor);
    out(0x40, (uint8_t)(divisor >> 8));
}

/* A task state segment, loaded into the task register. */
struct tss {
    uint32_t reserved0;
    uint64_t rsp[3], reserved1, ist[7], reserved2;
    uint16_t reserved3, io;
} __attribute__((packed));

static inline void load_tss(struct tss *tss)
{
    uint64_t address = (uint64_t)tss;

    tss->io = sizeof(*tss);
    gdt[5] = (address & 0xffffff) << 16 | 0x890000000067 | (address >> 24 & 255) << 56;
    gdt[6] = address >> 32;
    __asm__ volatile("ltr %%ax" ::"a"(0x28));
}

/* Allows programs to use the memory. */
static inline void open_memory(void)
{
    pml4[0] |= 4;
    ((uint64_t *)(pml4[0] & ~UINT64_C(0xfff)))[0] |= 4;
    for (int i = 0; i < 8; i++)
        pd[i] |= 4;
    __asm__ volatile("mov %%cr3, %%rax; mov %%rax, %%cr3" ::: "rax", "memory");
}

static inline void write_msr(uint32_t number, uint64_t value)
{
    __asm__ volatile("wrmsr" ::"c"(number), "a"((uint32_t)value), "d"((uint32_t)(value >> 32)));
}

/* Makes `syscall` enter `entry`, with interrupts off. */
static inline void set_syscall(void (*entry)(void))
{
    write_msr(0xc0000081, UINT64_C(0x13) << 48 | UINT64_C(8) << 32);
    write_msr(0xc0000082, (uint64_t)entry);
    write_msr(0xc0000084, 0x200);
}

/* The registers that a switch or a handler saves; pushes, and pops in the same order. */
#define PUSH_SAVED "push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15\n"
#define POP_SAVED  "pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
#define PUSH_ALL                                                                                   \
    "push %rax; push %rcx; push %rdx; push %rbx; push %rbp; push %rsi; push %rdi; push %r8\n"      \
    "push %r9; push %r10; push %r11; push %r12; push %r13; push %r14; push %r15\n"
#define POP_ALL                                                                                    \
    "pop %r15; pop %r14; pop %r13; pop %r12; pop %r11; pop %r10; pop %r9; pop %r8; pop %rdi\n"     \
    "pop %rsi; pop %rbp; pop %rbx; pop %rdx; pop %rcx; pop %rax\n"

/* A function in assembly. */
#define FUNCTION(name, body)                                                                       \
    __asm__(".globl " #name "\n.type " #name ",@function\n" #name ":\n" body "\n.size " #name      \
            ", . - " #name)
