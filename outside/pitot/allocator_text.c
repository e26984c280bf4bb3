/* SPDX-License-Identifier: BSD-2-Clause */
/* See allocator_text.h. */
#include "outside/pitot/allocator_text.h"

#include <string.h>

#include "core/lib/number.h"

#define SIZE_MOST (1ull << 32)

static const char *const forms[] = {
    [ALLOCATOR_ALLOCATES] = "F[:SIZE[@OUT]], with SIZE an argument from 1 to 6, a number of bytes, "
                            "two of these as in 1*2, 4096<<1, or a field as in [1+8] or [1+8/4]; "
                            "OUT: the argument that points to the result",
    [ALLOCATOR_REALLOCATES] = "F[:OBJECT:SIZE[:OLD]], each an argument from 1 to 6",
    [ALLOCATOR_FREES] = "F[:OBJECT[:SIZE]], each an argument from 1 to 6",
};

const char *allocator_text_form(enum allocator_kind kind)
{
    return forms[kind];
}

static bool read_argument(const char **at, uint32_t *argument)
{
    uint64_t number;

    if (number_read(at, 10, ARGUMENTS_MOST, &number) != NUMBER_READ || number == 0)
        return false;
    *argument = (uint32_t)number;
    return true;
}

/* As in [1+8/4]: the 4 bytes at 8 into what argument 1 points to. */
static bool read_field(const char **at, struct request_allocator *allocator)
{
    uint32_t argument;
    uint64_t width = sizeof(width);

    allocator->size = ALLOCATOR_FIELD;
    if (!read_argument(at, &argument) || *(*at)++ != '+' ||
        number_read(at, number_base(at), SIZE_MOST, &allocator->sizes[1]) != NUMBER_READ)
        return false;
    if (**at == '/' && (++*at, number_read(at, 10, sizeof(width), &width) != NUMBER_READ))
        return false;
    allocator->sizes[0] = argument;
    allocator->width = (uint32_t)width;
    return width > 0 && (width & (width - 1)) == 0 && *(*at)++ == ']';
}

static bool read_product(const char **at, struct request_allocator *allocator)
{
    if (number_read(at, 10, SIZE_MOST, &allocator->sizes[0]) != NUMBER_READ)
        return false;
    if (**at == '*')
        allocator->size = ALLOCATOR_PRODUCT, ++*at;
    else if (strncmp(*at, "<<", 2) == 0)
        allocator->size = ALLOCATOR_SHIFT, *at += 2;
    if (allocator->size != ALLOCATOR_SAME &&
        number_read(at, 10, SIZE_MOST, &allocator->sizes[1]) != NUMBER_READ)
        return false;
    return allocator->sizes[0] > 0 && (allocator->size != ALLOCATOR_PRODUCT || allocator->sizes[1]);
}

static bool read_size(const char *at, struct request_allocator *allocator)
{
    bool read = *at == '[' ? (at++, read_field(&at, allocator)) : read_product(&at, allocator);

    if (read && *at == '@' && (++at, !read_argument(&at, &allocator->object)))
        return false;
    return read && *at == '\0';
}

bool allocator_text_read(const char *at, struct request_allocator *allocator)
{
    uint32_t size;

    if (allocator->kind == ALLOCATOR_ALLOCATES)
        return read_size(at, allocator);
    if (!read_argument(&at, &allocator->object))
        return false;
    if (allocator->kind == ALLOCATOR_REALLOCATES) {
        if (*at++ != ':' || !read_argument(&at, &size))
            return false;
        allocator->sizes[0] = size;
    }
    return *at == '\0' || (*at++ == ':' && read_argument(&at, &allocator->before) && *at == '\0');
}
