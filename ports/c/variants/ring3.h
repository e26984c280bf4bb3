/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program in ring 3 for variants of the sample kernel, in the kernel's own text and data. On the
 * CPU that runs it, interrupts off.
 */
#pragma once

#include "ports/c/variants/gates.h"

#define ENTRIES      9 /* of the kernel's own GDT (boot.S) */
#define KERNEL_CODE  0x18
#define KERNEL_DATA  0x20
#define PROGRAM_DATA (8 * ENTRIES + 3)
#define PROGRAM_CODE (8 * ENTRIES + 8 + 3)
#define PROGRAM_PAGE 4 /* in an entry of a page table */
#define GS_BASE      0xc0000101

/* The first gigabyte at -2 GiB becomes the program's, too. */
static inline void map_for_programs(void)
{
    uint64_t *root, *pointers, *directory;

    __asm__("movq %%cr3, %0" : "=r"(root));
    pointers = (uint64_t *)(root[511] & ~0xfffull);
    directory = (uint64_t *)(pointers[510] & ~0xfffull);
    root[511] |= PROGRAM_PAGE;
    pointers[510] |= PROGRAM_PAGE;
    for (unsigned i = 0; i < 512; i++)
        directory[i] |= PROGRAM_PAGE;
    __asm__ volatile("movq %0, %%cr3" : : "r"(root) : "memory");
}

/* A null selector in GS, which the way to ring 3 leaves alone. */
static inline void make_segments(void)
{
    static uint64_t segments[ENTRIES + 2];
    struct __attribute__((packed)) {
        uint16_t last;
        uint64_t *base;
    } pointer = {sizeof(segments) - 1, segments};
    uint64_t base = (uint64_t)this_cpu();

    memcpy(segments, gdt, ENTRIES * sizeof(*gdt));
    segments[ENTRIES] = 0x00cff3000000ffff;
    segments[ENTRIES + 1] = 0x00affb000000ffff;
    __asm__ volatile("lgdt %0; movw %w1, %%gs" : : "m"(pointer), "r"(0));
    __asm__ volatile("wrmsr" : : "c"(GS_BASE), "a"((uint32_t)base), "d"((uint32_t)(base >> 32)));
}

/* `top` is of the stack on which its traps come. */
static inline void prepare_program(void *top)
{
    map_for_programs();
    make_segments();
    *(uint64_t *)(task_of(this_cpu()->number) + FIRST_STACK_OF_KERNEL) = (uint64_t)top;
}

/* The trap with this frame returns to the kernel there. */
static inline void leave_program(struct trap_frame *frame, const void *to, uint64_t sp)
{
    frame->ip = (uint64_t)to;
    frame->cs = KERNEL_CODE;
    frame->flags = 2;
    frame->sp = sp;
    frame->ss = KERNEL_DATA;
}
