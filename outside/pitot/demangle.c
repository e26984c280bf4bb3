/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See elf_symbols.h. A mangled name can repeat parts of itself: in 300 bytes it can stand for
 * gigabytes. libiberty passes the readable name on piece by piece, and cannot be told to stop, so a
 * name that becomes too long is left by longjmp; nearly all that libiberty has then lies on the
 * stack.
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

#include "outside/pitot/elf_symbols.h"

#define MANGLED_MOST  4096 /* bytes of the mangled name */
#define READABLE_MOST 4096

struct readable {
    jmp_buf too_long;
    size_t length;
    char text[READABLE_MOST + 1];
};

static void add(const char *piece, size_t length, void *own)
{
    struct readable *readable = own;

    if (length > READABLE_MOST - readable->length)
        longjmp(readable->too_long, 1);
    memcpy(readable->text + readable->length, piece, length);
    readable->length += length;
}

/* Rust first: its older names are also names of C++. */
static bool read_name(const char *mangled, struct readable *readable)
{
    if (rust_demangle_callback(mangled, DMGL_NO_OPTS, add, readable))
        return true;
    readable->length = 0;
    return cplus_demangle_v3_callback(mangled, DMGL_NO_OPTS, add, readable);
}

char *demangle(const char *mangled)
{
    static struct readable readable;

    readable.length = 0;
    if (strnlen(mangled, MANGLED_MOST + 1) > MANGLED_MOST || setjmp(readable.too_long) != 0 ||
        !read_name(mangled, &readable))
        return NULL;
    readable.text[readable.length] = '\0';
    return strdup(readable.text);
}
