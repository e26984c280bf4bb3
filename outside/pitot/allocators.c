/* SPDX-License-Identifier: BSD-2-Clause */
/* See allocators.h. */
#define _GNU_SOURCE
#include "outside/pitot/allocators.h"

#include <stdio.h>
#include <string.h>

#include "core/lib/glob.h"
#include "outside/pitot/allocator_text.h"
#include "outside/pitot/elf_symbols.h"
#include "outside/pitot/function_text.h"
#include "outside/pitot/name.h"
#include "outside/pitot/place.h"
#include "outside/pitot/plain.h"
#include "outside/pitot/plugin.h"

/* Each family frees what it allocates. */
enum family { GIVEN, KERNEL, LIBC, LIBALLOC, DLMALLOC, COMPACT, RUST, NEW, NEW_ARRAY };

/*
 * Methods of Rust's allocators, as in <heap::Locked as core::alloc::global::GlobalAlloc>::alloc.
 * Where __rust_alloc has the name of a crate, a Layout is passed as two arguments, the size last.
 */
#define GLOBAL " as core::alloc::global::GlobalAlloc>::"

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
    {ALLOCATOR_ALLOCATES, LIBC, "posix_memalign", "3@1"},
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
    {ALLOCATOR_ALLOCATES, RUST, "__rg_alloc", "1"},
    {ALLOCATOR_ALLOCATES, RUST, "__rg_alloc_zeroed", "1"},
    {ALLOCATOR_REALLOCATES, RUST, "__rg_realloc", "1:4:2"},
    {ALLOCATOR_FREES, RUST, "__rg_dealloc", "1:2"},
    {ALLOCATOR_ALLOCATES, RUST, "__rdl_alloc", "1"},
    {ALLOCATOR_ALLOCATES, RUST, "__rdl_alloc_zeroed", "1"},
    {ALLOCATOR_REALLOCATES, RUST, "__rdl_realloc", "1:4:2"},
    {ALLOCATOR_FREES, RUST, "__rdl_dealloc", "1:2"},
    {ALLOCATOR_ALLOCATES, RUST, GLOBAL "alloc", "3"},
    {ALLOCATOR_ALLOCATES, RUST, GLOBAL "alloc_zeroed", "3"},
    {ALLOCATOR_REALLOCATES, RUST, GLOBAL "realloc", "2:5:4"},
    {ALLOCATOR_FREES, RUST, GLOBAL "dealloc", "2:4"},
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

/* --- Functions --- */

/* Returns what stands before a name's end, if it is that; NULL: it is another. */
static const char *tail_of(const char *name, const char *end)
{
    size_t length = strlen(name), rest = strlen(end);

    return length > rest && strcmp(name + length - rest, end) == 0 ? name + length - rest : NULL;
}

static bool is_global(const char *name)
{
    return strncmp(name, GLOBAL, sizeof(GLOBAL) - 1) == 0;
}

/* Newer Rust has __rust_alloc and its like in a crate of its own, whose name has a hash. */
static bool is_in_crate(const char *symbol, const char *name)
{
    const char *tail = strncmp(name, "__r", 3) == 0 ? tail_of(symbol, name) : NULL;

    return tail && tail >= symbol + 2 && tail[-1] == ':' && tail[-2] == ':';
}

static bool is_called(const char *symbol, const char *name)
{
    if (is_global(name))
        return tail_of(symbol, name);
    return strcmp(symbol, name) == 0 || is_in_crate(symbol, name);
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

        if (!clone && !is_called(symbol.name, described->name))
            continue;
        found++;
        if (is_there(all, symbol.address))
            continue;
        if (all->count == ALLOCATORS_MOST)
            return refuse(why, EINVAL, "more than %d allocators", ALLOCATORS_MOST);
        *new = *described;
        new->asked.entry = symbol.address;
        if (is_global(new->name))
            new->name = symbol.name;
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

        if (!allocator_text_read(arguments ? arguments : usual[kind], &described.asked))
            return refuse(why, EINVAL, "%s %s:%s: %s", options[kind], described.name, arguments,
                          allocator_text_form(kind));
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

/* True if __rust_alloc has a crate's name: its code may be in its callers. */
static bool is_rust_inlined(void)
{
    struct symbol symbol;

    for (size_t i = 0; elf_symbols_function(i, &symbol); i++)
        if (is_in_crate(symbol.name, "__rust_alloc"))
            return true;
    return false;
}

/* True for the function, and for what gcc makes of it: .cold, .part.0, .constprop.0. */
static bool is_part_of(const char *name, const char *function)
{
    size_t length = strlen(function);

    return strncmp(name, function, length) == 0 && (name[length] == '\0' || name[length] == '.');
}

static bool is_one_of(const struct symbol *symbol, const struct allocators *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (symbol->address == all->allocator[i].asked.entry ||
            is_part_of(symbol->name, all->allocator[i].name))
            return true;
    return false;
}

static bool is_own(uint64_t address, const void *all)
{
    struct symbol function;

    return symbols_find_address(address, &function) && is_one_of(&function, all);
}

static void read_code(struct allocators *all, const struct kernel *kernel)
{
    for (size_t i = 0; i < all->count; i++)
        all->allocator[i].code.entry = all->allocator[i].asked.entry;
    inlining_read(kernel, &all->allocator[0].code, all->count, sizeof(all->allocator[0]), is_own,
                  all);
}

/* True if all calls of this method of GlobalAlloc are calls. */
static bool has_calls(const struct allocator *one, const char *method)
{
    return tail_of(one->name, method) && one->code.described && !one->code.changed &&
           one->code.copies == 0;
}

/*
 * Callers of such a __rust_alloc call the methods of GlobalAlloc. If these are inlined, too, what
 * is allocated and freed is known in part only: then none of it is watched.
 */
static void drop_rust(struct allocators *all)
{
    bool allocates = false, frees = false;
    size_t kept = 0;

    for (size_t i = 0; i < all->count; i++) {
        allocates |= has_calls(&all->allocator[i], GLOBAL "alloc");
        frees |= has_calls(&all->allocator[i], GLOBAL "dealloc");
    }
    if (allocates && frees)
        return;
    for (size_t i = 0; i < all->count; i++)
        if (all->allocator[i].known != RUST)
            all->allocator[kept++] = all->allocator[i];
    if (kept < all->count)
        plain_tell("pitot: __rust_alloc is left out: its code may be in its callers; --alloc and "
                   "--free name the functions that it calls");
    all->count = kept;
}

/*
 * Calls that are no calls are not seen, and arguments of a function that the compiler has changed
 * are not known, as those of a clone.
 */
static void tell_code(struct allocators *all)
{
    bool rust_inlined = is_rust_inlined();
    char name[NAME_ROOM];

    for (size_t i = 0; i < all->count; i++) {
        struct allocator *one = &all->allocator[i];

        if (one->code.changed && one->known && one->asked.object <= 1)
            describe_clone(one, one->name);
        if (one->code.copies == 0 || (rust_inlined && one->known == RUST))
            continue;
        plain_tell("pitot: the code of %s is also in %s%s: such calls of it are not seen",
                   one->name, name_function(one->code.copy, name),
                   one->code.copies > 1 ? " and others" : "");
    }
}

static int add_known(struct allocators *all, const struct kernel *kernel, struct refusal *why)
{
    bool inlined = is_rust_inlined();

    for (size_t i = 0; i < KNOWN; i++) {
        struct allocator described = {.name = known[i].name,
                                      .known = known[i].family == NEW_ARRAY ? NEW : known[i].family,
                                      .asked = {.kind = known[i].kind, .family = known[i].family}};
        int found;

        if (is_global(known[i].name) && !inlined)
            continue;
        allocator_text_read(known[i].arguments, &described.asked);
        found = add(all, &described, why);
        if (found < 0)
            return found;
    }
    read_code(all, kernel);
    if (inlined)
        drop_rust(all);
    drop_frees(all);
    return 0;
}

static int refuse_none(const struct kernel *kernel, struct refusal *why)
{
    char list[1024] = "";
    size_t used = 0;

    for (size_t i = 0; i < KNOWN && known[i].family < RUST; i++)
        if (known[i].kind == ALLOCATOR_ALLOCATES)
            used += (size_t)snprintf(list + used, sizeof(list) - used, "%s, ", known[i].name);
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
        read_code(all, kernel);
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

/* --- Their code --- */

static bool is_code(const struct symbol *symbol, const struct allocators *all,
                    const struct pitot_options *options)
{
    if (is_one_of(symbol, all))
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
