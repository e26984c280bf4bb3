/* SPDX-License-Identifier: BSD-2-Clause */
/* See string.h. Byte by byte: names are short. Memory functions: arch/x86_64/memory/memory.c. */
#include "core/lib/string.h"

size_t strlen(const char *text)
{
    size_t length = 0;

    while (text[length] != '\0') {
        __asm__ volatile(""); /* otherwise the compiler makes this loop a call of strlen */
        length++;
    }
    return length;
}

int strcmp(const char *left, const char *right)
{
    while (*left != '\0' && *left == *right) {
        left++;
        right++;
    }
    return (unsigned char)*left - (unsigned char)*right;
}

int strncmp(const char *left, const char *right, size_t length)
{
    for (; length > 0; length--, left++, right++) {
        if (*left != *right || *left == '\0')
            return (unsigned char)*left - (unsigned char)*right;
    }
    return 0;
}

char *strchr(const char *text, int character)
{
    for (;; text++) {
        if (*text == (char)character)
            return (char *)text;
        if (*text == '\0')
            return NULL;
    }
}

char *strstr(const char *text, const char *part)
{
    size_t length = strlen(part);

    for (; strncmp(text, part, length) != 0; text++)
        if (*text == '\0')
            return NULL;
    return (char *)text;
}
