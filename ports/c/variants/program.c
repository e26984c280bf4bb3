/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel steps a program in ring 3 by its trap flag, and counts the debug traps in a
 * variable that may be watched. Linked in front of what it wraps (port.mk) for
 * tests/boot/ports_c.t.
 */
#include "ports/c/variants/gates.h"

#include "pitot.h"

#define ENTRIES      9 /* of the kernel's own GDT (boot.S) */
#define KERNEL_CODE  0x18
#define KERNEL_DATA  0x20
#define PROGRAM_DATA (8 * ENTRIES + 3)
#define PROGRAM_CODE (8 * ENTRIES + 8 + 3)
#define PROGRAM_PAGE 4 /* in an entry of a page table */
#define STEPS        5
#define GS_BASE      0xc0000101

static uint64_t segments[ENTRIES + 2];
static char program_stack[STACK_SIZE] __attribute__((aligned(16))); /* of the program's traps */
static uint64_t kernel_sp;
extern const char program_end[];
uint64_t served;
static uint64_t astray; /* served on another stack */

void __wrap_trap_serve(struct trap_frame *frame);
void __real_trap_serve(struct trap_frame *frame);
void __wrap_record_end(void);
void __real_record_end(void);

/* The first gigabyte at -2 GiB becomes the program's, too. */
static void map_for_programs(void)
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
static void make_segments(void)
{
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

/* From the last step the kernel continues. */
void __wrap_trap_serve(struct trap_frame *frame)
{
    const char *at = (const char *)frame;

    if (frame->vector != DEBUG_VECTOR) {
        __real_trap_serve(frame);
        return;
    }
    served++;
    astray += at < program_stack || at >= program_stack + STACK_SIZE;
    if (served < STEPS)
        return;
    frame->ip = (uint64_t)program_end;
    frame->cs = KERNEL_CODE;
    frame->flags = 2;
    frame->sp = kernel_sp;
    frame->ss = KERNEL_DATA;
}

void __wrap_record_end(void)
{
    __asm__ volatile("cli");
    map_for_programs();
    make_segments();
    *(uint64_t *)(first_task() + FIRST_STACK_OF_KERNEL) = (uint64_t)(program_stack + STACK_SIZE);
    __asm__ volatile("movq %%rsp, %0\n\t"
                     "pushq %1; pushq $0; pushq $0x102; pushq %2\n\t" /* TF */
                     "leaq 1f(%%rip), %%rax; pushq %%rax; iretq\n"
                     "1: nop; jmp 1b\n"
                     "program_end:"
                     : "=m"(kernel_sp)
                     : "i"(PROGRAM_DATA), "i"(PROGRAM_CODE)
                     : "rax", "memory", "cc");
    say_number(served);
    say(" served, ");
    say_number(astray);
    say(" on another stack\n");
    __real_record_end();
}
