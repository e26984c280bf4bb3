/* SPDX-License-Identifier: BSD-2-Clause */
/* See print.h. Also for panics: no print leaves state, and a wrong conversion is printed as is. */
#include "core/lib/print.h"

#include <stdbool.h>
#include <stdint.h>

#include "core/lib/string.h"

#define NO_PRECISION SIZE_MAX

/* One conversion of a format, such as "%-*.3s". */
struct conversion {
    bool left;        /* - */
    bool zero;        /* 0 */
    size_t width;     /* minimum number of characters */
    size_t precision; /* %s: maximum number of characters */
    bool wide;        /* l, ll, z: 64 bits */
    char letter;
};

static struct sink *console;
static void (*guard_enter)(void), (*guard_leave)(void); /* NULL: none; set at boot */

static void put(struct sink *sink, const char *bytes, size_t length)
{
    if (length > 0)
        sink->write(sink, bytes, length);
}

static void put_repeated(struct sink *sink, const char *sixteen, size_t count)
{
    for (; count > 16; count -= 16)
        put(sink, sixteen, 16);
    put(sink, sixteen, count);
}

static void put_padded(struct sink *sink, const struct conversion *conversion, const char *bytes,
                       size_t length)
{
    size_t padding = conversion->width > length ? conversion->width - length : 0;

    if (!conversion->left)
        put_repeated(sink, "                ", padding);
    put(sink, bytes, length);
    if (conversion->left)
        put_repeated(sink, "                ", padding);
}

/* `prefix` is a sign or 0x: zeroes go after it, spaces before it. */
static void put_number(struct sink *sink, const struct conversion *conversion, const char *prefix,
                       uint64_t value, unsigned base)
{
    char text[24]; /* 20 digits of 2^64, and the prefix */
    size_t start = sizeof(text);
    size_t prefix_length = strlen(prefix);

    do {
        text[--start] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);

    size_t length = sizeof(text) - start + prefix_length;
    if (conversion->zero && !conversion->left && conversion->width > length) {
        put(sink, prefix, prefix_length);
        put_repeated(sink, "0000000000000000", conversion->width - length);
        put(sink, text + start, sizeof(text) - start);
        return;
    }
    start -= prefix_length;
    memcpy(text + start, prefix, prefix_length);
    put_padded(sink, conversion, text + start, length);
}

static void put_string(struct sink *sink, const struct conversion *conversion, const char *text)
{
    size_t length = 0;

    if (!text)
        text = "(null)";
    while (length < conversion->precision && text[length] != '\0')
        length++;
    put_padded(sink, conversion, text, length);
}

/* Returns false if the letter is unknown. */
static bool put_conversion(struct sink *sink, const struct conversion *conversion, va_list *values)
{
    switch (conversion->letter) {
    case 'c': {
        char character = (char)va_arg(*values, int);
        put_padded(sink, conversion, &character, 1);
        return true;
    }
    case 's':
        put_string(sink, conversion, va_arg(*values, const char *));
        return true;
    case 'd':
    case 'i': {
        int64_t value = conversion->wide ? va_arg(*values, int64_t) : va_arg(*values, int);
        put_number(sink, conversion, value < 0 ? "-" : "",
                   value < 0 ? -(uint64_t)value : (uint64_t)value, 10);
        return true;
    }
    case 'u':
    case 'x':
        put_number(sink, conversion, "",
                   conversion->wide ? va_arg(*values, uint64_t) : va_arg(*values, unsigned int),
                   conversion->letter == 'x' ? 16 : 10);
        return true;
    case 'p':
        put_number(sink, conversion, "0x", (uintptr_t)va_arg(*values, void *), 16);
        return true;
    case '%':
        put(sink, "%", 1);
        return true;
    default:
        return false;
    }
}

static int parse_count(const char **format, va_list *values)
{
    int count = 0;

    if (**format == '*') {
        (*format)++;
        return va_arg(*values, int);
    }
    for (; **format >= '0' && **format <= '9'; (*format)++)
        count = count * 10 + (**format - '0');
    return count;
}

/* Parses a conversion after its %; returns the first character after it. */
static const char *parse_conversion(const char *format, va_list *values,
                                    struct conversion *conversion)
{
    int count;

    *conversion = (struct conversion){.precision = NO_PRECISION};
    for (; *format == '-' || *format == '0'; format++) {
        conversion->left |= *format == '-';
        conversion->zero |= *format == '0';
    }
    count = parse_count(&format, values);
    conversion->left |= count < 0;
    conversion->width = count < 0 ? -(size_t)count : (size_t)count;
    if (*format == '.') {
        format++;
        count = parse_count(&format, values);
        conversion->precision = count < 0 ? NO_PRECISION : (size_t)count;
    }
    for (; *format == 'l' || *format == 'z'; format++)
        conversion->wide = true;
    conversion->letter = *format;
    return *format == '\0' ? format : format + 1;
}

static void print_pieces_to(struct sink *sink, const char *format, va_list list)
{
    va_list values;

    va_copy(values, list);
    while (*format != '\0') {
        const char *text = format;
        while (*format != '\0' && *format != '%')
            format++;
        put(sink, text, (size_t)(format - text));
        if (*format == '\0')
            break;

        struct conversion conversion;
        text = format;
        format = parse_conversion(format + 1, &values, &conversion);
        if (!put_conversion(sink, &conversion, &values))
            put(sink, text, (size_t)(format - text));
    }
    va_end(values);
}

void print_list_to(struct sink *sink, const char *format, va_list list)
{
    bool guarded = guard_enter && sink == console;

    if (guarded)
        guard_enter();
    print_pieces_to(sink, format, list);
    if (guarded)
        guard_leave();
}

void print_to(struct sink *sink, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    print_list_to(sink, format, arguments);
    va_end(arguments);
}

void print_set_guard(void (*enter)(void), void (*leave)(void))
{
    guard_enter = enter;
    guard_leave = leave;
}

void print_together_begin(void)
{
    if (guard_enter)
        guard_enter();
}

void print_together_end(void)
{
    if (guard_leave)
        guard_leave();
}

void print_set_console(struct sink *sink)
{
    console = sink;
}

struct sink *print_console(void)
{
    return console;
}

void print(const char *format, ...)
{
    va_list arguments;

    if (!console)
        return;
    va_start(arguments, format);
    print_together_begin(); /* first: another CPU may be replacing the console's sink */
    print_pieces_to(console, format, arguments);
    print_together_end();
    va_end(arguments);
}

/* A sink that fills a buffer, and keeps counting past its end. */
struct buffer_sink {
    struct sink sink;
    char *buffer;
    size_t size;
    size_t length;
};

static void buffer_write(struct sink *sink, const char *bytes, size_t length)
{
    struct buffer_sink *to = (struct buffer_sink *)sink;
    size_t room = to->length < to->size ? to->size - to->length : 0;

    if (room > 0)
        memcpy(to->buffer + to->length, bytes, length < room ? length : room);
    to->length += length;
}

size_t print_list_into(char *buffer, size_t size, const char *format, va_list arguments)
{
    struct buffer_sink to = {{buffer_write}, buffer, size, 0};

    print_list_to(&to.sink, format, arguments);
    if (size > 0)
        buffer[to.length < size ? to.length : size - 1] = '\0';
    return to.length;
}

size_t print_into(char *buffer, size_t size, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    size_t length = print_list_into(buffer, size, format, arguments);
    va_end(arguments);
    return length;
}

void print_cut(char *text, size_t size)
{
    static const char rest[] = " ...";
    size_t last = size - sizeof(rest), end = last;

    while (end > 0 && text[end] != ' ')
        end--;
    memcpy(text + (end > 0 ? end : last), rest, sizeof(rest));
}
