/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one print family. Understands %c %s %d %i %u %x %p %%, the lengths l, ll, z, the flags - and
 * 0, a width or `*`, and a precision for %s. Allocates nothing and takes no lock but the console's
 * guard: usable in any context that the sink is usable in.
 */
#pragma once

#include <stdarg.h>
#include <stddef.h>

/* Where bytes go. Embed it in a larger structure to carry state. */
struct sink {
    void (*write)(struct sink *sink, const char *bytes, size_t length);
};

__attribute__((format(printf, 2, 3))) void print_to(struct sink *sink, const char *format, ...);
__attribute__((format(printf, 2, 0))) void print_list_to(struct sink *sink, const char *format,
                                                         va_list list);

/* To the console, wherever print_set_console last sent it; nowhere before the first call. */
__attribute__((format(printf, 1, 2))) void print(const char *format, ...);
void print_set_console(struct sink *sink);
struct sink *print_console(void);

/* Called around each print to the console: one CPU at a time is in between. Boot. */
void print_set_guard(void (*enter)(void), void (*leave)(void));

/*
 * What is printed to the console between the two stands together, as what one print() prints does.
 * May be nested. Contexts as the guard's.
 */
void print_together_begin(void);
void print_together_end(void);

/*
 * Like snprintf: always ends in NUL when size is not 0, returns the length that the whole text
 * would have had.
 */
__attribute__((format(printf, 3, 4))) size_t print_into(char *buffer, size_t size,
                                                        const char *format, ...);
__attribute__((format(printf, 3, 0))) size_t print_list_into(char *buffer, size_t size,
                                                             const char *format, va_list arguments);

/* How the word after a number ends: "%llu record%s". */
static inline const char *print_plural(unsigned long long number)
{
    return number == 1 ? "" : "s";
}
