/* SPDX-License-Identifier: BSD-2-Clause */
/* See text.h. */
#include "programs/text.h"

#include "programs/system.h"

static void add(struct line *line, char character)
{
    if (line->length < sizeof(line->text) - 1)
        line->text[line->length++] = character;
    line->text[line->length] = '\0';
}

void line_add(struct line *line, const char *text)
{
    for (; *text != '\0'; text++)
        add(line, *text);
}

static void add_digits(struct line *line, unsigned long number, unsigned base)
{
    char digits[20];
    unsigned count = 0;

    do
        digits[count++] = "0123456789abcdef"[number % base];
    while (number /= base);
    while (count > 0)
        add(line, digits[--count]);
}

void line_add_number(struct line *line, long number)
{
    if (number < 0)
        add(line, '-');
    add_digits(line, number < 0 ? -(unsigned long)number : (unsigned long)number, 10);
}

void line_add_hex(struct line *line, unsigned long number)
{
    line_add(line, "0x");
    add_digits(line, number, 16);
}

void line_end(struct line *line)
{
    line->text[line->length++] = '\n';
    system_write(1, line->text, line->length);
    line->length = 0;
}

void say(const char *text)
{
    struct line line = {.length = 0};

    line_add(&line, text);
    line_end(&line);
}

void say_number(const char *before, long number, const char *after)
{
    struct line line = {.length = 0};

    line_add(&line, before);
    line_add_number(&line, number);
    line_add(&line, after);
    line_end(&line);
}

bool text_equal(const char *left, const char *right)
{
    while (*left != '\0' && *left == *right) {
        left++;
        right++;
    }
    return *left == *right;
}

long text_number(const char *text)
{
    const long base = text[0] == '0' && text[1] == 'x' ? 16 : 10;
    long number = 0;

    text += base == 16 ? 2 : 0;
    if (*text == '\0')
        return -1;
    for (; *text != '\0'; text++) {
        long digit = *text >= 'a' ? *text - 'a' + 10 : *text - '0';

        if (digit < 0 || digit >= base || number > (1l << 58))
            return -1;
        number = number * base + digit;
    }
    return number;
}
