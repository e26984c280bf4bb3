/* SPDX-License-Identifier: BSD-2-Clause */
/* See plain.h. Source: RFC 3629, on UTF-8. */
#define _GNU_SOURCE
#include "outside/pitot/plain.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN "\\x%02x"
#define WIDTH 4 /* characters of SHOWN */

/*
 * What may follow the first byte of a character, where that is not 0x80 to 0xbf: no control
 * characters from 0x80 to 0x9f, no longer form of a short one, no surrogates, none beyond 0x10ffff.
 */
static bool is_second(unsigned char first, unsigned char second)
{
    unsigned char least = first == 0xc2 || first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;

    return second >= least && second <= most;
}

/*
 * Returns the bytes of the character at `text`; 0: a control character, no UTF-8, or U+FFFE and
 * U+FFFF, which XML has not.
 */
static size_t character(const unsigned char *text)
{
    size_t more = *text >= 0xf5 ? 0 : *text >= 0xf0 ? 3 : *text >= 0xe0 ? 2 : *text >= 0xc2;

    if (*text < 0x80)
        return *text >= 0x20 && *text != 0x7f;
    for (size_t i = 1; i <= more; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    if (more && !is_second(*text, text[1]))
        return 0;
    if (text[0] == 0xef && text[1] == 0xbf && text[2] >= 0xbe)
        return 0;
    return more ? more + 1 : 0;
}

bool plain_is(const char *text)
{
    size_t length;

    for (; *text && (length = character((const unsigned char *)text)) > 0; text += length)
        ;
    return !*text;
}

char *plain_text(const char *text)
{
    char *plain = malloc(WIDTH * strlen(text) + 1), *to = plain;

    while (plain && *text) {
        size_t length = character((const unsigned char *)text);

        if (length == 0) {
            to += sprintf(to, SHOWN, (unsigned char)*text++);
            continue;
        }
        memcpy(to, text, length);
        to += length;
        text += length;
    }
    if (plain)
        *to = '\0';
    return plain;
}

void plain_tell(const char *format, ...)
{
    char *text, *plain = NULL;
    va_list arguments;

    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) >= 0) {
        plain = plain_text(text);
        free(text);
    }
    va_end(arguments);
    fprintf(stderr, "%s\n", plain ? plain : "pitot: out of memory");
    free(plain);
}
