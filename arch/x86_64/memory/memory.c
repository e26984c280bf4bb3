/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory functions that compilers call (core/lib/string.h). Any context. Emulators count each
 * iteration of a string instruction, so they process eight bytes at a time, then the rest, without
 * a branch. They never set the direction flag: an interrupt would enter with it.
 */
#include <stddef.h>
#include <stdint.h>

/* As in core/lib/string.h, which arch may not include. */
void *memcpy(void *restrict to, const void *restrict from, size_t length);
void *memmove(void *to, const void *from, size_t length);
void *memset(void *to, int byte, size_t length);
int memcmp(const void *left, const void *right, size_t length);

#define WORD sizeof(uint64_t)

/* Eight bytes of any type, at any address. */
struct word {
    uint64_t value;
} __attribute__((packed, may_alias));

void *memcpy(void *restrict to, const void *restrict from, size_t length)
{
    void *start = to;
    size_t count = length / WORD;

    __asm__ volatile("rep movsq\n\t"
                     "mov %[rest], %%rcx\n\t"
                     "rep movsb"
                     : "+&D"(to), "+&S"(from), "+&c"(count)
                     : [rest] "r"(length % WORD)
                     : "memory");
    return start;
}

/* For a destination that begins inside the source. */
static void copy_backward(char *to, const char *from, size_t length)
{
    while (length % WORD != 0) {
        length--;
        to[length] = from[length];
        __asm__ volatile("" : : : "memory"); /* or gcc makes this a memmove */
    }
    while (length != 0) {
        length -= WORD;
        *(struct word *)(to + length) = *(const struct word *)(from + length);
        __asm__ volatile("" : : : "memory"); /* as above */
    }
}

void *memmove(void *to, const void *from, size_t length)
{
    /* Forward unless `to` is inside the source; if it precedes it, the difference wraps. */
    if ((uintptr_t)to - (uintptr_t)from >= length)
        return memcpy(to, from, length);
    copy_backward(to, from, length);
    return to;
}

void *memset(void *to, int byte, size_t length)
{
    void *start = to;
    size_t count = length / WORD;
    uint64_t pattern = (uint8_t)byte * 0x0101010101010101ull;

    __asm__ volatile("rep stosq\n\t"
                     "mov %[rest], %%rcx\n\t"
                     "rep stosb"
                     : "+&D"(to), "+&c"(count)
                     : [rest] "r"(length % WORD), "a"(pattern)
                     : "memory");
    return start;
}

int memcmp(const void *left, const void *right, size_t length)
{
    const uint8_t *a = left, *b = right;

    for (; length >= WORD; length -= WORD, a += WORD, b += WORD)
        if (((const struct word *)a)->value != ((const struct word *)b)->value)
            break;
    for (; length > 0; length--, a++, b++)
        if (*a != *b)
            return *a - *b;
    return 0;
}
