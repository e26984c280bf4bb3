/* SPDX-License-Identifier: BSD-2-Clause */
/* See allocators.h. */
#define _GNU_SOURCE
#include "outside/pitot/allocators.h"

#include <stdio.h>
#include <string.h>

#include "core/lib/glob.h"
#include "core/lib/number.h"
#include "outside/pitot/elf_symbols.h"
#include "outside/pitot/function_text.h"
#include "outside/pitot/place.h"
#include "outside/pitot/plugin.h"

#define SIZE_MOST (1ull << 32)

/* Each family frees what it allocates. */
enum family { GIVEN, KERNEL, LIBC, LIBALLOC, DLMALLOC, COMPACT, RUST, NEW, NEW_ARRAY };

/* Allocators by their usual names; the arguments as in --alloc, --realloc and --free. */
static const struct known {
    enum allocator_kind kind;
    enum family family;
    const char *name, *arguments;
} known[] = {
    {ALLOCATOR_ALLOCATES, KERNEL, "kmalloc", "1"},
    {ALLOCATOR_ALLOCATES, KERNEL, "kzalloc", "1"},
    {ALLOCATOR_ALLOCATES, KERNEL, "kcalloc", "1*2"},
    {ALLOCATOR_REALLOCATES, KERNEL, "krealloc", "1:2"},
    {ALLOCATOR_FREES, KERNEL, "kfree", "1"},
    {ALLOCATOR_ALLOCATES, LIBC, "malloc", "1"},
    {ALLOCATOR_ALLOCATES, LIBC, "zalloc", "1"},
    {ALLOCATOR_ALLOCATES, LIBC, "calloc", "1*2"},
    {ALLOCATOR_ALLOCATES, LIBC, "memalign", "2"},
    {ALLOCATOR_ALLOCATES, LIBC, "aligned_alloc", "2"},
    {ALLOCATOR_REALLOCATES, LIBC, "realloc", "1:2"},
    {ALLOCATOR_FREES, LIBC, "free", "1"},
    {ALLOCATOR_ALLOCATES, LIBALLOC, "liballoc_malloc", "1"},
    {ALLOCATOR_ALLOCATES, LIBALLOC, "liballoc_calloc", "1*2"},
    {ALLOCATOR_REALLOCATES, LIBALLOC, "liballoc_realloc", "1:2"},
    {ALLOCATOR_FREES, LIBALLOC, "liballoc_free", "1"},
    {ALLOCATOR_ALLOCATES, DLMALLOC, "dlmalloc", "1"},
    {ALLOCATOR_ALLOCATES, DLMALLOC, "dlcalloc", "1*2"},
    {ALLOCATOR_ALLOCATES, DLMALLOC, "dlmemalign", "2"},
    {ALLOCATOR_REALLOCATES, DLMALLOC, "dlrealloc", "1:2"},
    {ALLOCATOR_FREES, DLMALLOC, "dlfree", "1"},
    {ALLOCATOR_ALLOCATES, COMPACT, "cmpct_alloc", "1"},
    {ALLOCATOR_ALLOCATES, COMPACT, "cmpct_memalign", "1"},
    {ALLOCATOR_REALLOCATES, COMPACT, "cmpct_realloc", "1:2"},
    {ALLOCATOR_FREES, COMPACT, "cmpct_free", "1"},
    {ALLOCATOR_ALLOCATES, RUST, "__rust_alloc", "1"},
    {ALLOCATOR_ALLOCATES, RUST, "__rust_alloc_zeroed", "1"},
    {ALLOCATOR_REALLOCATES, RUST, "__rust_realloc", "1:4:2"},
    {ALLOCATOR_FREES, RUST, "__rust_dealloc", "1:2"},
    {ALLOCATOR_ALLOCATES, NEW, "_Znwm", "1"},
    {ALLOCATOR_ALLOCATES, NEW, "_ZnwmRKSt9nothrow_t", "1"},
    {ALLOCATOR_ALLOCATES, NEW, "_ZnwmSt11align_val_t", "1"},
    {ALLOCATOR_ALLOCATES, NEW, "_ZnwmSt11align_val_tRKSt9nothrow_t", "1"},
    {ALLOCATOR_FREES, NEW, "_ZdlPv", "1"},
    {ALLOCATOR_FREES, NEW, "_ZdlPvm", "1:2"},
    {ALLOCATOR_FREES, NEW, "_ZdlPvSt11align_val_t", "1"},
    {ALLOCATOR_FREES, NEW, "_ZdlPvmSt11align_val_t", "1:2"},
    {ALLOCATOR_ALLOCATES, NEW_ARRAY, "_Znam", "1"},
    {ALLOCATOR_ALLOCATES, NEW_ARRAY, "_ZnamRKSt9nothrow_t", "1"},
    {ALLOCATOR_ALLOCATES, NEW_ARRAY, "_ZnamSt11align_val_t", "1"},
    {ALLOCATOR_ALLOCATES, NEW_ARRAY, "_ZnamSt11align_val_tRKSt9nothrow_t", "1"},
    {ALLOCATOR_FREES, NEW_ARRAY, "_ZdaPv", "1"},
    {ALLOCATOR_FREES, NEW_ARRAY, "_ZdaPvm", "1:2"},
    {ALLOCATOR_FREES, NEW_ARRAY, "_ZdaPvSt11align_val_t", "1"},
    {ALLOCATOR_FREES, NEW_ARRAY, "_ZdaPvmSt11align_val_t", "1:2"},
};

#define KNOWN (sizeof(known) / sizeof(*known))

static const char *const forms[] = {
    [ALLOCATOR_ALLOCATES] = "F[:SIZE], with SIZE an argument from 1 to 6, a number of bytes, "
                            "or two of these as in 1*2, 4096<<1",
    [ALLOCATOR_REALLOCATES] = "F[:OBJECT:SIZE[:OLD]], each an argument from 1 to 6",
    [ALLOCATOR_FREES] = "F[:OBJECT[:SIZE]], each an argument from 1 to 6",
};

/* --- Arguments --- */

/* Newer Rust has these functions in a crate of its own, whose name has a hash. */
static bool is_called(const struct symbol *symbol, const char *name)
{
    size_t length = strlen(symbol->name), tail = strlen(name);

    if (strcmp(symbol->name, name) == 0)
        return true;
    return strncmp(name, "__rust", 6) == 0 && length > tail + 2 &&
           strcmp(symbol->name + length - tail, name) == 0 &&
           strncmp(symbol->name + length - tail - 2, "::", 2) == 0;
}

/*
 * True if gcc has made the function of that one, as kmalloc.constprop.0: it may have other
 * arguments.
 */
static bool is_clone(const char *name, const char *of)
{
    static const char *const kinds[] = {".constprop.", ".isra.", ".part."};
    size_t length = strlen(of);

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (strncmp(name, of, length) == 0 &&
            strncmp(name + length, kinds[i], strlen(kinds[i])) == 0)
            return true;
    return false;
}

static bool read_argument(const char **at, uint32_t *argument)
{
    uint64_t number;

    if (number_read(at, 10, ARGUMENTS_MOST, &number) != NUMBER_READ || number == 0)
        return false;
    *argument = (uint32_t)number;
    return true;
}

static bool read_size(const char *at, struct request_allocator *allocator)
{
    if (number_read(&at, 10, SIZE_MOST, &allocator->sizes[0]) != NUMBER_READ)
        return false;
    if (*at == '*')
        allocator->size = ALLOCATOR_PRODUCT, at++;
    else if (strncmp(at, "<<", 2) == 0)
        allocator->size = ALLOCATOR_SHIFT, at += 2;
    if (allocator->size != ALLOCATOR_SAME &&
        number_read(&at, 10, SIZE_MOST, &allocator->sizes[1]) != NUMBER_READ)
        return false;
    return *at == '\0' && allocator->sizes[0] > 0;
}

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

/* --- Functions --- */

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

        bool clone = described->asked.object <= 1 && is_clone(symbol.name, described->name);

        if (!clone && !is_called(&symbol, described->name))
            continue;
        found++;
        if (is_there(all, symbol.address))
            continue;
        if (all->count == ALLOCATORS_MOST)
            return refuse(why, EINVAL, "more than %d allocators", ALLOCATORS_MOST);
        *new = *described;
        new->asked.entry = symbol.address;
        if (clone)
            describe_clone(new, symbol.name);
        if (is_folded(i, &symbol))
            new->asked.family = GIVEN;
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
    bool allocates[KNOWN] = {false};
    size_t kept = 0;

    for (size_t i = 0; i < all->count; i++)
        allocates[all->allocator[i].known] |= all->allocator[i].asked.kind == ALLOCATOR_ALLOCATES;
    for (size_t i = 0; i < all->count; i++)
        if (allocates[all->allocator[i].known])
            all->allocator[kept++] = all->allocator[i];
    all->count = kept;
}

static int add_known(struct allocators *all, struct refusal *why)
{
    for (size_t i = 0; i < KNOWN; i++) {
        struct allocator described = {.name = known[i].name,
                                      .known = known[i].family == NEW_ARRAY ? NEW : known[i].family,
                                      .asked = {.kind = known[i].kind, .family = known[i].family}};
        int found;

        read_arguments(known[i].arguments, &described.asked);
        found = add(all, &described, why);
        if (found < 0)
            return found;
    }
    drop_frees(all);
    return 0;
}

static int refuse_none(const struct kernel *kernel, struct refusal *why)
{
    char list[1024] = "";
    size_t used = 0;

    for (size_t i = 0; i < KNOWN && known[i].family < NEW; i++)
        if (known[i].kind == ALLOCATOR_ALLOCATES)
            used += (size_t)snprintf(list + used, sizeof(list) - used, "%s, ", known[i].name);
    return refuse(why, ENOENT,
                  "%s has no allocator of a known name (%soperator new); --alloc FUNCTION and "
                  "--free FUNCTION name yours",
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
        error = add_known(all, why);
    for (size_t i = 0; !error && i < all->count; i++)
        if (all->allocator[i].asked.kind != ALLOCATOR_FREES)
            return 0;
    if (!error && options->free.count > 0)
        return refuse(why, EINVAL, "--free %s: who allocates? --alloc FUNCTION names it",
                      options->free.text[0]);
    return error ? error : refuse_none(kernel, why);
}

/* --- Their code --- */

/* True for the function, and for what gcc makes of it: .cold, .part.0, .constprop.0. */
static bool is_part_of(const char *name, const char *function)
{
    size_t length = strlen(function);

    return strncmp(name, function, length) == 0 && (name[length] == '\0' || name[length] == '.');
}

static bool is_code(const struct symbol *symbol, const struct allocators *all,
                    const struct pitot_options *options)
{
    for (size_t i = 0; i < all->count; i++)
        if (symbol->address == all->allocator[i].asked.entry ||
            is_part_of(symbol->name, all->allocator[i].name))
            return true;
    for (unsigned i = 0; i < options->allocator.count; i++)
        if (glob_match(options->allocator.text[i], symbol->name))
            return true;
    return false;
}

/* Refuses the first pattern of --allocator that matches no function. */
static int check_patterns(const struct pitot_options *options, const struct kernel *kernel,
                          struct refusal *why)
{
    struct symbol symbol;

    for (unsigned i = 0; i < options->allocator.count; i++) {
        const char *pattern = options->allocator.text[i];
        bool found = false;

        for (size_t at = 0; !found && elf_symbols_function(at, &symbol); at++)
            found = glob_match(pattern, symbol.name);
        if (!found)
            return place_refuse_name("function", pattern, kernel, why);
    }
    return 0;
}

/* Adds their code. */
static int ask_code(const struct allocators *all, const struct pitot_options *options,
                    struct watch *watch, struct refusal *why)
{
    struct request_list *code = &watch->request.heap.code;
    struct symbol symbol, next;
    int error = 0;

    for (size_t i = 0; !error && elf_symbols_function(i, &symbol); i++) {
        if (symbol.size == 0 && elf_symbols_function(i + 1, &next)) /* of assembly */
            symbol.size = next.address - symbol.address;
        if (is_code(&symbol, all, options))
            error =
                plugin_add_range(watch, code, symbol.address, symbol.address + symbol.size, why);
    }
    return error;
}

int allocators_ask(const struct allocators *all, const struct pitot_options *options,
                   struct watch *watch, struct refusal *why)
{
    struct request *request = &watch->request;
    int error = check_patterns(options, watch->kernel, why);

    for (size_t i = 0; i < all->count; i++)
        request->heap.allocators[i] = all->allocator[i].asked;
    request->heap.allocator_count = (uint32_t)all->count;
    return error ? error : ask_code(all, options, watch, why);
}
