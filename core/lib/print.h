/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The only print functions. They support %c %s %d %i %u %x %p %%, the lengths l, ll, z, the flags -
 * and 0, a width or `*`, and a precision for %s. They allocate nothing and take no lock but the
 * console's guard, so they work in any context in which the sink works.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>

/* A destination of bytes. Embed it in a larger structure to carry state. */
struct sink {
    void (*write)(struct sink *sink, const char *bytes, size_t length);
};

__attribute__((format(printf, 2, 3))) void print_to(struct sink *sink, const char *format, ...);
__attribute__((format(printf, 2, 0))) void print_list_to(struct sink *sink, const char *format,
                                                         va_list list);

/* Prints to the console, which is the sink last set. Prints nothing before one is set. */
__attribute__((format(printf, 1, 2))) void print(const char *format, ...);
void print_set_console(struct sink *sink);
struct sink *print_console(void);

/*
 * Called at boot. `enter` and `leave` will be called around each print to the console; `enter`
 * admits one CPU at a time.
 */
void print_set_guard(void (*enter)(void), void (*leave)(void));

/* Console output between these two calls is not interleaved with other output. Calls nest. */
void print_together_begin(void);
void print_together_end(void);

/* Like snprintf: ends the buffer in NUL unless size is 0, and returns the whole text's length. */
__attribute__((format(printf, 3, 4))) size_t print_into(char *buffer, size_t size,
                                                        const char *format, ...);
__attribute__((format(printf, 3, 0))) size_t print_list_into(char *buffer, size_t size,
                                                             const char *format, va_list arguments);

/* Ends a text that did not fit into its `size` bytes after its last whole word, in " ...". */
void print_cut(char *text, size_t size);

/* Plural ending of the word after a number: "%llu record%s". */
static inline const char *print_plural(unsigned long long number)
{
    return number == 1 ? "" : "s";
}
