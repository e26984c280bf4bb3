/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ways to call allocators, each followed by a write to the byte behind the object, whose report
 * shows what pitot knows of the object; with -DMENDED nothing is written there. Each function has
 * one object:
 *
 *     jumps        xmalloc jumps to kmalloc                               an object of 24
 *     aligns       memalign, the alignment first                          40
 *     stores       posix_memalign stores the result                       56
 *     has_cache    cache_alloc, the size is in the cache                  72
 *     has_size     ticket_alloc, all of one size                          88
 *     nests        operator new calls kmalloc                             104
 *     grows        krealloc of no object, then to another place           120
 *     keeps        krealloc fails: the old object stays                   136
 *     switches     two threads are within kmalloc at the same time        152 and 168
 *     is_taken     while krealloc moves an object, a handler is given     184
 *                  the old one's memory and keeps it
 *     returns      krealloc to 0 bytes is a free                          a read of 200 freed bytes
 *
 * No report for: objects of no bytes, also freed; kcalloc whose product is too large; frees of 0;
 * `beside`, a variable without a size behind the last object of a heap without a size.
 */
#include "tests/guests/guest.h"

#ifdef MENDED
#define WRONG 0
#else
#define WRONG 1
#endif

#define HEAP   16384
#define HEADER 16

/* A heap that reuses each freed block once, for the next request of its size. */
struct block {
    unsigned long size, free;
};

static char heap[HEAP] __attribute__((aligned(4096)));
static unsigned long used;
static volatile int sink;
static void (*volatile within)(void); /* called once in the middle of an allocation */

static void call_within(void)
{
    void (*function)(void) = within;

    within = 0;
    if (function)
        function();
}

NOINLINE void *kmalloc(unsigned long size);
void *kmalloc(unsigned long size)
{
    unsigned long room = (size + 15) & ~15ul;
    struct block *block;

    if (size > HEAP)
        return 0;
    for (unsigned long at = 0; at < used; at += HEADER + block->size) {
        block = (struct block *)(heap + at);
        if (!block->free || block->size != room)
            continue;
        block->free = 0;
        return block + 1;
    }
    block = (struct block *)(heap + used);
    used += HEADER + room;
    *block = (struct block){room, 0};
    call_within();
    return block + 1;
}

NOINLINE void kfree(void *object);
void kfree(void *object)
{
    if (object)
        ((struct block *)object)[-1].free = 1;
}

NOINLINE void *kcalloc(unsigned long count, unsigned long size);
void *kcalloc(unsigned long count, unsigned long size)
{
    if (size && count > ~0ul / size)
        return 0;
    return kmalloc(count * size);
}

/* With size 0, frees. */
NOINLINE void *krealloc(void *object, unsigned long size);
void *krealloc(void *object, unsigned long size)
{
    char *moved = size ? kmalloc(size) : 0;

    if (!object || (size && !moved))
        return moved;
    for (unsigned long i = 0; i < size && i < ((struct block *)object)[-1].size; i++)
        ((volatile char *)moved)[i] = ((char *)object)[i];
    kfree(object);
    call_within();
    return moved;
}

FUNCTION(xmalloc, "jmp kmalloc\n");
extern void *xmalloc(unsigned long size);

NOINLINE void *memalign(unsigned long alignment, unsigned long size);
void *memalign(unsigned long alignment, unsigned long size)
{
    used = ((used + HEADER + alignment - 1) & -alignment) - HEADER;
    return kmalloc(size);
}

NOINLINE int posix_memalign(void **result, unsigned long alignment, unsigned long size);
int posix_memalign(void **result, unsigned long alignment, unsigned long size)
{
    (void)alignment;
    if (size > HEAP)
        return 12;
    *result = kmalloc(size);
    return 0;
}

struct cache {
    const char *name;
    uint32_t flags, size;
};

static struct cache cache = {"seventy-two", 1, 72};

NOINLINE void *cache_alloc(const struct cache *from);
void *cache_alloc(const struct cache *from)
{
    return kmalloc(from->size);
}

NOINLINE void *ticket_alloc(void);
void *ticket_alloc(void)
{
    return kmalloc(88);
}

NOINLINE void *new_one(unsigned long size) __asm__("_Znwm");
void *new_one(unsigned long size)
{
    return kmalloc(size);
}

/* A heap and a variable without sizes; each object ends where the heap ends. */
__asm__(".bss\n.balign 4096\nplain_heap: .skip 48\nbeside: .skip 8\n.text\n");
extern char plain_heap[], beside[];

NOINLINE void *plain_alloc(unsigned long size);
void *plain_alloc(unsigned long size)
{
    return plain_heap + 48 - size;
}

/* --- Each object --- */

NOINLINE static void write_behind(void *object, int size)
{
    ((volatile char *)object)[size - 1 + WRONG] = 1;
}

NOINLINE static void jumps(void)
{
    write_behind(xmalloc(24), 24);
    KEEP_FRAME();
}

NOINLINE static void aligns(void)
{
    write_behind(memalign(64, 40), 40);
    KEEP_FRAME();
}

NOINLINE static void stores(void)
{
    void *object = heap; /* an error leaves it alone */

    posix_memalign(&object, 64, 2 * HEAP);
    posix_memalign(&object, 64, 56);
    write_behind(object, 56);
}

NOINLINE static void has_cache(void)
{
    write_behind(cache_alloc(&cache), 72);
    KEEP_FRAME();
}

NOINLINE static void has_size(void)
{
    write_behind(ticket_alloc(), 88);
    KEEP_FRAME();
}

NOINLINE static void nests(void)
{
    write_behind(new_one(104), 104);
    KEEP_FRAME();
}

NOINLINE static void grows(void)
{
    write_behind(krealloc(krealloc(0, 20), 120), 120);
    KEEP_FRAME();
}

NOINLINE static void keeps(void)
{
    void *object = kmalloc(136);

    sink = krealloc(object, 2 * HEAP) != 0;
    ((volatile char *)object)[135] = 1;
    write_behind(object, 136);
    kfree(object);
}

/* The other thread's stack, and both threads' stack pointers. */
static char other_stack[4096] __attribute__((aligned(16)));
static void *main_rsp, *other_rsp;

FUNCTION(switch_to, PUSH_SAVED "mov %rsp, (%rdi)\nmov %rsi, %rsp\n" POP_SAVED "ret\n");
extern void switch_to(void **from, void *to);

NOINLINE static void to_other(void)
{
    switch_to(&main_rsp, other_rsp);
    KEEP_FRAME();
}

NOINLINE static void to_main(void)
{
    switch_to(&other_rsp, main_rsp);
    KEEP_FRAME();
}

NOINLINE static void other(void)
{
    within = to_main; /* the first thread returns from kmalloc before this one */
    write_behind(kmalloc(168), 168);
    to_main();
}

NOINLINE static void switches(void)
{
    void **top = (void **)(other_stack + sizeof(other_stack)) - 8;

    top[6] = other;
    other_rsp = top;
    within = to_other;
    write_behind(kmalloc(152), 152);
    to_other();
}

static void *volatile taken;

NOINLINE static void take(void)
{
    taken = kmalloc(184);
    KEEP_FRAME();
}

__attribute__((interrupt)) static void handler(void *frame)
{
    (void)frame;
    take();
}

static void interrupt(void)
{
    __asm__ volatile("int $0x40" : : : "memory");
}

/* The new object exists as well: krealloc is interrupted after it has freed the old one. */
NOINLINE static void is_taken(void)
{
    void *object = kmalloc(184), *moved;

    kfree(kmalloc(500));
    within = interrupt;
    moved = krealloc(object, 500);
    sink = taken == object;
    ((volatile char *)moved)[499] = 1;
    write_behind(taken, 184);
    kfree(taken);
    kfree(moved);
}

NOINLINE static void returns(void)
{
    volatile char *object = kmalloc(200);

    sink = krealloc((void *)object, 0) != 0;
    if (WRONG)
        sink = object[7];
}

/* --- Correct code --- */

NOINLINE static void has_no_bytes(void)
{
    void *none = kmalloc(0);

    kfree(none);
    kfree(kmalloc(0));
    kfree(0);
    sink = kcalloc(1ul << 40, 1ul << 40) != 0;
}

NOINLINE static void has_neighbour(void)
{
    volatile char *object = plain_alloc(32), *volatile variable = beside;

    object[31] = 1;
    *variable = 1;
}

void main(void)
{
    set_gate(0x40, (void (*)(void))handler, 0);
    has_no_bytes();
    has_neighbour();
    jumps();
    aligns();
    stores();
    has_cache();
    has_size();
    nests();
    grows();
    keeps();
    switches();
    is_taken();
    returns();
    quit();
}
