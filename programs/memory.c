/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory functions that compilers call implicitly. */
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t length);
void *memset(void *to, int byte, size_t length);

void *memcpy(void *restrict to, const void *restrict from, size_t length)
{
    void *start = to;

    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(length) : : "memory");
    return start;
}

void *memset(void *to, int byte, size_t length)
{
    void *start = to;

    __asm__ volatile("rep stosb" : "+D"(to), "+c"(length) : "a"(byte) : "memory");
    return start;
}
