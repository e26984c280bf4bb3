/* SPDX-License-Identifier: BSD-2-Clause */
/* See heap.h. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "core/lib/number.h"
#include "outside/pitot/elf_symbols.h"
#include "outside/pitot/heap.h"
#include "outside/pitot/name.h"
#include "outside/pitot/place.h"
#include "outside/pitot/plain.h"

/* --- What follows a function in --alloc, --realloc and --free --- */

#define SIZE_MOST (1ull << 32)

static const char *const forms[] = {
    [ALLOCATOR_ALLOCATES] = "F[:SIZE[@OUT]], with SIZE an argument from 1 to 6, a number of bytes, "
                            "two of these as in 1*2, 4096<<1, or a field as in [1+8] or [1+8/4]; "
                            "OUT: the argument that points to the result",
    [ALLOCATOR_REALLOCATES] = "F[:OBJECT:SIZE[:OLD]], each an argument from 1 to 6",
    [ALLOCATOR_FREES] = "F[:OBJECT[:SIZE]], each an argument from 1 to 6",
};

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

/* Reads them, of a function of the allocator's kind. False: they are none. */
static bool read_arguments(const char *at, struct request_allocator *allocator)
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

/* --- The functions --- */

/* True if the compiler or linker has made one function of several: who calls it is not known. */
static bool is_folded(size_t index, const struct symbol *symbol)
{
    struct symbol other;

    for (size_t i = index;
         i-- > 0 && elf_symbols_function(i, &other) && other.address == symbol->address;)
        if (elf_symbols_is_readable(&other) == elf_symbols_is_readable(symbol))
            return true;
    for (size_t i = index; elf_symbols_function(++i, &other) && other.address == symbol->address;)
        if (elf_symbols_is_readable(&other) == elf_symbols_is_readable(symbol))
            return true;
    return false;
}

static bool is_there(const struct allocators *all, uint64_t entry)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->allocator[i].asked.entry == entry)
            return true;
    return false;
}

/*
 * A pointer that is the first argument stays it. Any other argument may be gone: sizes are not
 * known, so what a clone allocates is told of to no more than the functions that free.
 */
static void describe_clone(struct allocator *clone, const char *name)
{
    clone->name = name;
    clone->asked.size = ALLOCATOR_SAME;
    clone->asked.sizes[0] = clone->asked.sizes[1] = 0;
    clone->asked.before = 0;
}

/* Adds the functions of that name, and their clones. Returns their number, or a negative errno. */
static int add(struct allocators *all, const struct allocator *described, struct refusal *why)
{
    struct symbol symbol;
    int found = 0;

    for (size_t i = 0; elf_symbols_function(i, &symbol); i++) {
        struct allocator *new = &all->allocator[all->count];

        bool clone =
            described->asked.object <= 1 && allocator_name_is_clone(symbol.name, described->name);

        if (!clone && !allocator_name_is(symbol.name, described->name))
            continue;
        found++;
        if (is_there(all, symbol.address))
            continue;
        if (all->count == ALLOCATORS_MOST)
            return refuse(why, EINVAL, "more than %d allocators", ALLOCATORS_MOST);
        *new = *described;
        new->asked.entry = symbol.address;
        if (allocator_name_is_global(new->name))
            new->name = symbol.name;
        if (clone)
            describe_clone(new, symbol.name);
        if (is_folded(i, &symbol))
            new->asked.family = FAMILY_GIVEN;
        all->count++;
    }
    return found;
}

static int add_given(struct allocators *all, enum allocator_kind kind,
                     const struct spelt_events *given, const struct kernel *kernel,
                     struct refusal *why)
{
    static const char *const options[] = {"--alloc", "--realloc", "--free"};
    static const char *const usual[] = {"1", "1:2", "1"};

    for (unsigned i = 0; i < given->count; i++) {
        struct allocator described = {.name = given->text[i], .asked = {.kind = kind}};
        const char *arguments = function_split(given->text[i]);
        int found;

        if (!read_arguments(arguments ? arguments : usual[kind], &described.asked))
            return refuse(why, EINVAL, "%s %s:%s: %s", options[kind], described.name, arguments,
                          forms[kind]);
        found = add(all, &described, why);
        if (found < 0)
            return found;
        if (found == 0)
            return place_refuse_name("function", described.name, kernel, why);
    }
    return 0;
}

/* A family without one that allocates, as where that is inlined: its frees say nothing. */
static void drop_frees(struct allocators *all)
{
    bool allocates[FAMILIES] = {false};
    size_t kept = 0;

    for (size_t i = 0; i < all->count; i++)
        allocates[all->allocator[i].known] |= all->allocator[i].asked.kind == ALLOCATOR_ALLOCATES;
    for (size_t i = 0; i < all->count; i++)
        if (allocates[all->allocator[i].known])
            all->allocator[kept++] = all->allocator[i];
    all->count = kept;
}

/*
 * Calls that are no calls are not seen, and arguments of a function that the compiler has changed
 * are not known, as those of a clone.
 */
static void tell_code(struct allocators *all)
{
    char name[NAME_ROOM];

    for (size_t i = 0; i < all->count; i++) {
        struct allocator *one = &all->allocator[i];

        if (one->code.changed && one->known && one->asked.object <= 1)
            describe_clone(one, one->name);
        if (one->code.copies == 0)
            continue;
        plain_tell("pitot: the code of %s is also in %s%s: such calls of it are not seen",
                   one->name, name_function(one->code.copy, name),
                   one->code.copies > 1 ? " and others" : "");
    }
}

static int add_known(struct allocators *all, const struct kernel *kernel, struct refusal *why)
{
    const struct allocator_name *known;

    for (size_t i = 0; (known = allocator_names_at(i)) != NULL; i++) {
        struct allocator described = {.name = known->name,
                                      .known = known->family == FAMILY_NEW_ARRAY ? FAMILY_NEW
                                                                                 : known->family,
                                      .asked = {.kind = known->kind, .family = known->family}};
        int found;

        read_arguments(known->arguments, &described.asked);
        found = add(all, &described, why);
        if (found < 0)
            return found;
    }
    allocator_code_read(all, kernel);
    allocator_rust_choose(all);
    drop_frees(all);
    return 0;
}

static int refuse_none(const struct kernel *kernel, struct refusal *why)
{
    const struct allocator_name *known;
    char list[1024] = "";
    size_t used = 0;

    for (size_t i = 0; (known = allocator_names_at(i))->family < FAMILY_RUST; i++)
        if (known->kind == ALLOCATOR_ALLOCATES)
            used += (size_t)snprintf(list + used, sizeof(list) - used, "%s, ", known->name);
    return refuse(why, ENOENT,
                  "%s has no allocator of a known name (%s__rust_alloc, operator new); --alloc "
                  "FUNCTION and --free FUNCTION name yours",
                  kernel->name, list);
}

int allocators_find(struct allocators *all, const struct pitot_options *options,
                    const struct kernel *kernel, struct refusal *why)
{
    int error = add_given(all, ALLOCATOR_ALLOCATES, &options->alloc, kernel, why);

    if (!error)
        error = add_given(all, ALLOCATOR_REALLOCATES, &options->realloc, kernel, why);
    if (!error)
        error = add_given(all, ALLOCATOR_FREES, &options->free, kernel, why);
    if (!error && all->count == 0)
        error = add_known(all, kernel, why);
    else if (!error)
        allocator_code_read(all, kernel);
    if (!error)
        tell_code(all);
    for (size_t i = 0; !error && i < all->count; i++)
        if (all->allocator[i].asked.kind != ALLOCATOR_FREES)
            return 0;
    if (!error && options->free.count > 0)
        return refuse(why, EINVAL, "--free %s: who allocates? --alloc FUNCTION names it",
                      options->free.text[0]);
    return error ? error : refuse_none(kernel, why);
}
