/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A heap in C++, without headers: objects are adjacent, and a CPU allocates the block that it freed
 * last. It is code for tests/lib/Pitot/FourCpus.pm: each CPU's `work` has one bug of each kind in
 * each turn; with -DMENDED none.
 *
 *     reads_deleted   a virtual call of a deleted object      use after free
 *     deletes_twice   deletes an object twice                 double free
 *     mixes           deletes by `delete` what `new[]` made   free by another allocator
 *     writes_behind   writes the byte behind 24               out of bounds, 1 byte too far
 *     touches_next    writes the byte behind 32, which is     out of bounds, but only with --guard
 *                     the next object's
 *     keeps           reads a deleted object whose memory     use after free, but only with
 *                     is another's by now                     --quarantine
 *
 * `delete` with a size trusts it: if a block is freed with another size, the machine ends with
 * status 3.
 */
#include <stdint.h>

#ifdef MENDED
#define WRONG 0
#else
#define WRONG 1
#endif

#define NOINLINE __attribute__((noinline))
#define CPUS     4
#define SIZES    16         /* block sizes: 16 to 256 bytes */
#define HEAP     0x1000000u /* each CPU has 1 MiB */
#define EACH     0x100000u

struct block {
    uint64_t content;
    block *next; /* in the free list */
};

static block *free_blocks[CPUS][SIZES];
static unsigned used[CPUS];
static uint8_t sizes[CPUS * EACH / sizeof(block)]; /* of the block that begins there; 0x80: free */
static volatile int sink;

static void check(bool good)
{
    if (!good)
        __asm__ volatile("outb %0, %1" ::"a"((uint8_t)1), "Nd"((uint16_t)0xf4));
}

/* Stacks of 4096 bytes are adjacent. */
static unsigned this_cpu()
{
    return (uintptr_t)__builtin_frame_address(0) / 4096 % CPUS;
}

static uint8_t *size_of(void *object)
{
    return &sizes[((uintptr_t)object - HEAP) / sizeof(block)];
}

NOINLINE static void *take(unsigned long size)
{
    unsigned cpu = this_cpu(), index = (unsigned)(size - 1) / sizeof(block);
    block *first = free_blocks[cpu][index];

    if (first) {
        free_blocks[cpu][index] = first->next;
    } else {
        first = (block *)(uintptr_t)(HEAP + cpu * EACH + used[cpu]);
        used[cpu] += (index + 1) * sizeof(block);
        check(used[cpu] <= EACH);
    }
    *size_of(first) = (uint8_t)(index + 1);
    return first;
}

/* `size` 0: unknown. */
NOINLINE static void give(void *object, unsigned long size)
{
    block *freed = (block *)object;
    uint8_t *noted = size_of(object);
    unsigned cpu = this_cpu();

    if (*noted & 0x80)
        return;
    check(size == 0 || (size - 1) / sizeof(block) + 1 == *noted);
    freed->next = free_blocks[cpu][*noted - 1];
    free_blocks[cpu][*noted - 1] = freed;
    *noted |= 0x80;
}

/* sink: or the compiler merges some of these functions. */
NOINLINE void *operator new(unsigned long size)
{
    sink = 1;
    return take(size);
}

NOINLINE void *operator new[](unsigned long size)
{
    sink = 2;
    return take(size);
}

NOINLINE void operator delete(void *object) noexcept
{
    sink = 3;
    give(object, 0);
}

NOINLINE void operator delete(void *object, unsigned long size) noexcept
{
    sink = 4;
    give(object, size);
}

NOINLINE void operator delete[](void *object) noexcept
{
    sink = 5;
    give(object, 0);
}

/* --- The bugs --- */

class shape
{
public:
    NOINLINE virtual int area()
    {
        return 4;
    }
    uint64_t space, more[4];
};

NOINLINE static shape *make()
{
    return new shape;
}

NOINLINE static void reads_deleted()
{
    shape *one = make();

    if (WRONG)
        delete one;
    sink = ((shape * volatile &)one)->area();
    if (!WRONG)
        delete one;
}

NOINLINE static void deletes_twice()
{
    shape *volatile one = make();

    delete one;
    if (WRONG)
        delete one;
}

NOINLINE static void mixes()
{
    block *volatile blocks = new block[1];

    if (WRONG)
        delete blocks;
    else
        delete[] blocks;
}

NOINLINE static void writes_behind()
{
    char *volatile bytes = new char[24];

    for (int i = 0; i < 24 + WRONG; i++)
        ((volatile char *)bytes)[i] = 1;
    delete[] bytes;
}

NOINLINE static void touches_next()
{
    char *two[2];

    for (volatile int i = 0; i < 2; i = i + 1) /* by one instruction */
        two[i] = new char[32];
    ((volatile char *)two[two[1] < two[0]])[WRONG ? 32 : 31] = 1;
    for (char *one : two)
        delete[] one;
}

NOINLINE static void keeps()
{
    shape *volatile first = make();

    if (WRONG)
        delete first;
    shape *volatile second = make();
    sink = (int)((volatile shape *)first)->space;
    delete second;
    if (!WRONG)
        delete first;
}

extern "C" void work(unsigned turns);
void work(unsigned turns)
{
    for (; turns > 0; turns--) {
        reads_deleted();
        deletes_twice();
        mixes();
        writes_behind();
        touches_next();
        keeps();
    }
}
