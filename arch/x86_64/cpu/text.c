/* SPDX-License-Identifier: BSD-2-Clause */
/* See text.h. */
#include "arch/x86_64/cpu/text.h"

struct text text_in(char *buffer, size_t size)
{
    *buffer = '\0';
    return (struct text){buffer, size};
}

static void text_add_character(struct text *text, char character)
{
    if (text->room < 2)
        return;
    *text->at++ = character;
    *text->at = '\0';
    text->room--;
}

void text_add(struct text *text, const char *words)
{
    while (*words)
        text_add_character(text, *words++);
}

void text_add_padded(struct text *text, const char *words, size_t width)
{
    for (; *words; width -= width > 0)
        text_add_character(text, *words++);
    while (width-- > 0)
        text_add_character(text, ' ');
}

void text_add_hex(struct text *text, uint64_t value, unsigned digits)
{
    unsigned needed = 1;

    while (needed < 16 && value >> (4 * needed))
        needed++;
    for (unsigned left = digits > needed ? digits : needed; left-- > 0;)
        text_add_character(text, "0123456789abcdef"[value >> (4 * left) & 0xf]);
}
