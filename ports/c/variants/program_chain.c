/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel runs a program in ring 3, in the lower half, whose functions have frames, until
 * the timer has interrupted it a few times: chains continue in it. Linked in front of what it wraps
 * (port.mk) for tests/boot/ports_c.t.
 */
#include "ports/c/variants/ring3.h"

#include "pitot.h"

#define HIGH   0xffffffff80000000ul /* where the image lies above its physical addresses */
#define TRAPS  5
#define NUMBER 7 /* of the process */
#define WRITES 9

static char program_stack[STACK_SIZE] __attribute__((aligned(16)));
static uint64_t kernel_sp, traps;
static int runs;
extern const char program_begin[], program_end[];

void __wrap_trap_serve(struct trap_frame *frame);
void __real_trap_serve(struct trap_frame *frame);
const char *__wrap_pitot_init(const struct pitot_kernel *kernel);
const char *__real_pitot_init(const struct pitot_kernel *kernel);
void __wrap_record_end(void);
void __real_record_end(void);

static unsigned process(unsigned cpu, unsigned long stack, const struct pitot_program **program)
{
    (void)cpu, (void)stack;
    *program = 0;
    return runs ? NUMBER : 0;
}

/* The program's memory is the image, at its physical addresses. */
static int process_read(unsigned cpu, unsigned long stack, unsigned long address, void *to,
                        unsigned long length)
{
    (void)cpu, (void)stack;
    if (!is_mapped(address + HIGH, length))
        return 0;
    memcpy(to, (const void *)(address + HIGH), length);
    return 1;
}

/* The linker's (port.mk): a range that no kernel can have; one above the kernel's memory. */
extern int above __attribute__((weak)), below __attribute__((weak));

static int is_mapped_low(uint64_t address, uint64_t length)
{
    return is_mapped(address, length) || is_mapped(address + HIGH, length);
}

const char *__wrap_pitot_init(const struct pitot_kernel *kernel)
{
    struct pitot_kernel with = *kernel;

    with.programs = (const void *)0x1000;
    with.programs_end = &above ? (const void *)-1ul : (const void *)0x40000000;
    with.process = process;
    with.process_read = process_read;
    if (&below) {
        with.programs = (const void *)0x40000000;
        with.programs_end = (const void *)0x80000000;
        with.mapped = is_mapped_low;
    }
    return __real_pitot_init(&with);
}

void __wrap_trap_serve(struct trap_frame *frame)
{
    __real_trap_serve(frame);
    if (frame->cs == PROGRAM_CODE && ++traps == TRAPS)
        leave_program(frame, program_end, kernel_sp);
}

__asm__(".data\n"
        "program_begin: pushq %rbp; movq %rsp, %rbp; call program_middle\n"
        "program_middle: pushq %rbp; movq %rsp, %rbp; call program_inner\n"
        "program_inner: pushq %rbp; movq %rsp, %rbp\n"
        "1: pause; jmp 1b\n"
        ".text");

uint64_t word;

/* Writes to the word at its physical address. */
static void write_below(void)
{
    for (int i = 0; i < WRITES; i++)
        *(volatile uint64_t *)((uint64_t)&word - HIGH) = i + 1;
}

/* Its traps come on the stack of a thread of Pitot's, which there is none of here. */
static void run_program(void)
{
    uint64_t *root;

    __asm__ volatile("cli");
    prepare_program(thread_stacks[ALL_THREADS - 1] + STACK_SIZE);
    __asm__("movq %%cr3, %0" : "=r"(root));
    root[0] |= PROGRAM_PAGE;
    *(uint64_t *)(root[0] & ~0xfffull) |= PROGRAM_PAGE;
    __asm__ volatile("movq %0, %%cr3" : : "r"(root) : "memory");
    runs = 1;
    __asm__ volatile("pushq %%rbp; movq %%rsp, %0\n\t"
                     "xorl %%ebp, %%ebp\n\t"
                     "pushq %1; pushq %3; pushq $0x202; pushq %2; pushq %4; swapgs; iretq\n"
                     "program_end: popq %%rbp; sti"
                     : "=m"(kernel_sp)
                     : "i"(PROGRAM_DATA), "i"(PROGRAM_CODE),
                       "r"((uint64_t)program_stack + STACK_SIZE - HIGH),
                       "r"((uint64_t)program_begin - HIGH)
                     : "memory", "cc", "rbx", "r12", "r13", "r14", "r15");
    runs = 0;
}

void __wrap_record_end(void)
{
    if (&below)
        write_below();
    else
        run_program();
    __real_record_end();
}
