/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A heap with a first-fit allocator, and one bug of each kind that `pitot heap` finds; with
 * -DMENDED none. With -DCPUS=4 each of four CPUs does the same in its own heap. The functions and
 * their bugs, with the default build:
 *
 *     reads_freed    reads 4 bytes, 8 into a freed object of 40      use after free
 *     writes_behind  writes the byte behind an object of 24          out of bounds, 1 byte too far
 *     reads_before   reads the 8 bytes before an object of 48        out of bounds
 *     frees_twice    frees an object of 32 twice                     double free
 *     frees_middle   frees 16 into an object of 64                   free of an object's middle
 *     frees_static   frees a variable                                free of no object
 *     mixes          deletes by `delete` what `new[]` returned       free by another allocator
 *     calls_freed    calls by a pointer in a freed object of 48      use after free
 *     shrinks        writes byte 20 of 300 that are 16 by now        out of bounds, 5 bytes too far
 *     leaks          allocates 100 bytes three times                 live at the end
 *
 * An interrupt arrives in the middle of an allocation, and its handler allocates and frees; the
 * allocator reads its own headers; krealloc moves an object, and grows one in place; gcc makes a
 * clone of an allocator.
 */
#include "tests/guests/cpus.h"

#ifdef MENDED
#define WRONG 0
#else
#define WRONG 1
#endif

#ifndef CPUS
#define CPUS 1
#endif

#define HEAP   65536
#define HEADER 16

struct block {
    unsigned long size; /* without the header; a multiple of 16 */
    unsigned long used;
};

static char heaps[CPUS][HEAP] __attribute__((aligned(4096)));
static volatile int sink;
static void *volatile interrupted[CPUS]; /* what the handler allocated and freed */
static int volatile interrupts_left[CPUS];
static volatile unsigned ended;

static unsigned this_cpu(void)
{
    return CPUS > 1 ? *(volatile uint32_t *)0xfee00020u >> 24 : 0;
}

static struct block *next_of(struct block *block)
{
    return (struct block *)((char *)block + HEADER + block->size);
}

NOINLINE static void *take_block(struct block *block, unsigned long size)
{
    if (block->size >= size + HEADER + 16) {
        struct block *rest = (struct block *)((char *)block + HEADER + size);

        *rest = (struct block){block->size - size - HEADER, 0};
        block->size = size;
    }
    block->used = 1;
    if (interrupts_left[this_cpu()] > 0) {
        interrupts_left[this_cpu()]--;
        __asm__ volatile("int $0x40" : : : "memory");
    }
    return (char *)block + HEADER;
}

/* kmalloc jumps here, so it has no frame of its own. */
NOINLINE static void *find_block(unsigned long size)
{
    char *heap = heaps[this_cpu()];

    size = (size + 15) & ~15ul;
    for (struct block *block = (void *)heap; (char *)block < heap + HEAP; block = next_of(block))
        if (!block->used && block->size >= size)
            return take_block(block, size);
    return 0;
}

__attribute__((noinline, optimize("optimize-sibling-calls"))) void *kmalloc(unsigned long size);
void *kmalloc(unsigned long size)
{
    return find_block(size ? size : 1);
}

NOINLINE void *kcalloc(unsigned long count, unsigned long size);
void *kcalloc(unsigned long count, unsigned long size)
{
    char *object = kmalloc(count * size);

    for (unsigned long i = 0; object && i < count * size; i++)
        ((volatile char *)object)[i] = 0;
    return object;
}

NOINLINE void kfree(void *object);
void kfree(void *object)
{
    struct block *block = (struct block *)((char *)object - HEADER);
    char *heap = heaps[this_cpu()];

    if (!object || (char *)object < heap || (char *)object >= heap + HEAP || (long)object % 16)
        return;
    if (block->size < HEAP)
        block->used = 0;
    for (int i = 0; i < 16 && block->size < HEAP; i++)
        ((volatile char *)object)[i] = (char)0xdd;
}

NOINLINE void *krealloc(void *object, unsigned long size);
void *krealloc(void *object, unsigned long size)
{
    struct block *block = (struct block *)((char *)object - HEADER);
    char *moved;

    if (object && block->size >= size)
        return object;
    moved = kmalloc(size);
    for (unsigned long i = 0; object && i < block->size; i++)
        ((volatile char *)moved)[i] = ((char *)object)[i];
    kfree(object);
    return moved;
}

/* The names of C++. */
NOINLINE void *new_array(unsigned long size) __asm__("_Znam");
void *new_array(unsigned long size)
{
    return kmalloc(size);
}

NOINLINE void delete_one(void *object) __asm__("_ZdlPv");
void delete_one(void *object)
{
    sink = 1; /* or the compiler merges some of these functions */
    kfree(object);
}

NOINLINE void delete_array(void *object) __asm__("_ZdaPv");
void delete_array(void *object)
{
    kfree(object);
}

NOINLINE static void handle(void)
{
    unsigned cpu = this_cpu();

    interrupted[cpu] = kmalloc(200);
    *(volatile char *)interrupted[cpu] = 1;
    kfree(interrupted[cpu]);
}

__attribute__((interrupt)) static void handler(void *frame)
{
    (void)frame;
    handle();
}

/* --- The bugs --- */

static long a_variable[8];

NOINLINE static void release(int *object)
{
    kfree(object);
    sink = 2;
}

NOINLINE static void reads_freed(void)
{
    volatile int *object = kmalloc(40);

    object[2] = 1;
    if (WRONG)
        release((int *)object);
    for (int i = 0; i < 5; i++)
        sink = object[2];
    if (!WRONG)
        release((int *)object);
}

NOINLINE static void writes_behind(void)
{
    volatile char *object = kmalloc(24);

    for (int i = 0; i < 24 + WRONG; i++)
        object[i] = 1;
    kfree((void *)object);
}

NOINLINE static void reads_before(void)
{
    volatile long *object = kmalloc(48);

    sink = (int)object[WRONG ? -1 : 1];
    kfree((void *)object);
}

NOINLINE static void frees_twice(void)
{
    void *object = kmalloc(32);

    kfree(object);
    if (WRONG)
        kfree(object);
}

NOINLINE static void frees_middle(void)
{
    char *object = kmalloc(64);

    if (WRONG)
        kfree(object + 16);
    kfree(object);
}

NOINLINE static void frees_static(void)
{
    if (WRONG)
        kfree(a_variable);
}

NOINLINE static void mixes(void)
{
    char *object = new_array(10);

    if (WRONG)
        delete_one(object);
    else
        delete_array(object);
}

NOINLINE static void is_called(void)
{
    sink = 3;
}

NOINLINE static void calls_freed(void)
{
    void (*volatile * object)(void) = kmalloc(48);

    object[4] = is_called;
    if (WRONG)
        kfree((void *)object);
    object[4]();
    if (!WRONG)
        kfree((void *)object);
}

NOINLINE static void shrinks(void)
{
    volatile char *object = kmalloc(300);

    object = krealloc((void *)object, 16);
    object[WRONG ? 20 : 10] = 1;
    kfree((void *)object);
}

NOINLINE static void leaks(void)
{
    for (int i = 0; i < 3; i++) {
        void *object = kmalloc(100);

        sink = object != 0;
        if (!WRONG)
            kfree(object);
    }
}

/* --- Correct code --- */

NOINLINE static void resizes(void)
{
    volatile char *object = kmalloc(8);

    object = krealloc((void *)object, 16); /* stays in place */
    object[15] = 1;
    object = krealloc((void *)object, 300);
    object[299] = 1;
    kfree((void *)object);
}

NOINLINE static void is_interrupted(void)
{
    volatile char *object;

    interrupts_left[this_cpu()] = 1;
    object = kcalloc(10, 7);
    object[69] = 1;
    kfree((void *)object);
}

/* gcc makes kzalloc.constprop.0 from it, with one argument. */
NOINLINE static char *kzalloc(unsigned long size, int value)
{
    char *object = find_block(size);

    for (unsigned long i = 0; i < size; i++)
        ((volatile char *)object)[i] = (char)value;
    return object;
}

NOINLINE static void is_cloned(void)
{
    for (unsigned long size = 20; size < 100; size += 60)
        kfree(kzalloc(size, 7));
}

/* strlen reads words: the last one ends beyond the object. */
NOINLINE static void reads_words(void)
{
    char *object = kmalloc(5);

    sink = (int)*(volatile long *)object;
    kfree(object);
}

NOINLINE static void work(void)
{
    *(struct block *)heaps[this_cpu()] = (struct block){HEAP - HEADER, 0};
    reads_words();
    resizes();
    is_interrupted();
    is_cloned();
    reads_freed();
    writes_behind();
    reads_before();
    frees_twice();
    frees_middle();
    frees_static();
    mixes();
    calls_freed();
    shrinks();
    leaks();
    __atomic_fetch_add(&ended, 1, __ATOMIC_SEQ_CST);
}

void cpu_main(unsigned cpu)
{
    (void)cpu;
    work();
    KEEP_FRAME();
}

void main(void)
{
    set_gate(0x40, (void (*)(void))handler, 0);
    if (CPUS > 1)
        start_cpus(CPUS);
    work();
    while (ended < CPUS)
        __asm__ volatile("pause");
    quit();
}
