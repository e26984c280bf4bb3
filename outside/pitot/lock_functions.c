/* SPDX-License-Identifier: BSD-2-Clause */
/* See locks.h. */
#include <errno.h>
#include <string.h>

#include "core/lib/number.h"
#include "outside/pitot/elf_symbols.h"
#include "outside/pitot/locks.h"
#include "outside/pitot/place.h"

/* Families of names: functions for the same locks. */
enum {
    GIVEN,
    SPIN,
    RAW_SPIN,
    SPINLOCK,
    ACQUIRE,
    SLEEP_LOCK,
    MUTEX,
    PTHREAD,
    NX_MUTEX,
    NX_RECURSIVE
};

static const struct {
    enum lock_function_kind kind;
    unsigned family;
    const char *name;
} known[] = {
    {LOCK_TAKES, SPIN, "spin_lock"},
    {LOCK_TAKES, SPIN, "spin_lock_irq"},
    {LOCK_TAKES, SPIN, "spin_lock_irqsave"},
    {LOCK_TAKES, SPIN, "spin_lock_irq_save"},
    {LOCK_TAKES, SPIN, "spin_lock_bh"},
    {LOCK_TRIES, SPIN, "spin_trylock"},
    {LOCK_GIVES, SPIN, "spin_unlock"},
    {LOCK_GIVES, SPIN, "spin_unlock_irq"},
    {LOCK_GIVES, SPIN, "spin_unlock_irqrestore"},
    {LOCK_GIVES, SPIN, "spin_unlock_irq_restore"},
    {LOCK_GIVES, SPIN, "spin_unlock_bh"},
    {LOCK_BEGINS, SPIN, "spin_lock_init"},
    {LOCK_BEGINS, SPIN, "__spin_initlock"},
    {LOCK_TAKES, RAW_SPIN, "_raw_spin_lock"},
    {LOCK_TAKES, RAW_SPIN, "_raw_spin_lock_irq"},
    {LOCK_TAKES, RAW_SPIN, "_raw_spin_lock_irqsave"},
    {LOCK_TAKES, RAW_SPIN, "_raw_spin_lock_bh"},
    {LOCK_TRIES, RAW_SPIN, "_raw_spin_trylock"},
    {LOCK_GIVES, RAW_SPIN, "_raw_spin_unlock"},
    {LOCK_GIVES, RAW_SPIN, "_raw_spin_unlock_irq"},
    {LOCK_GIVES, RAW_SPIN, "_raw_spin_unlock_irqrestore"},
    {LOCK_GIVES, RAW_SPIN, "_raw_spin_unlock_bh"},
    {LOCK_TAKES, SPINLOCK, "spinlock_acquire"},
    {LOCK_TAKES, SPINLOCK, "spinlock_lock"},
    {LOCK_TAKES, SPINLOCK, "acquire_spinlock"},
    {LOCK_TRIES, SPINLOCK, "spinlock_trylock"},
    {LOCK_GIVES, SPINLOCK, "spinlock_release"},
    {LOCK_GIVES, SPINLOCK, "spinlock_unlock"},
    {LOCK_GIVES, SPINLOCK, "release_spinlock"},
    {LOCK_BEGINS, SPINLOCK, "spinlock_init"},
    {LOCK_TAKES, ACQUIRE, "acquire"}, /* xv6 */
    {LOCK_GIVES, ACQUIRE, "release"},
    {LOCK_BEGINS, ACQUIRE, "initlock"},
    {LOCK_TAKES, SLEEP_LOCK, "acquiresleep"},
    {LOCK_GIVES, SLEEP_LOCK, "releasesleep"},
    {LOCK_BEGINS, SLEEP_LOCK, "initsleeplock"},
    {LOCK_TAKES, MUTEX, "mutex_lock"},
    {LOCK_TAKES, MUTEX, "mutex_acquire"},
    {LOCK_TRIES, MUTEX, "mutex_trylock"},
    {LOCK_GIVES, MUTEX, "mutex_unlock"},
    {LOCK_GIVES, MUTEX, "mutex_release"},
    {LOCK_BEGINS, MUTEX, "mutex_init"},
    {LOCK_TAKES, PTHREAD, "pthread_mutex_lock"},
    {LOCK_TRIES_ZERO, PTHREAD, "pthread_mutex_trylock"},
    {LOCK_GIVES, PTHREAD, "pthread_mutex_unlock"},
    {LOCK_BEGINS, PTHREAD, "pthread_mutex_init"},
    {LOCK_TAKES, NX_MUTEX, "nxmutex_lock"}, /* NuttX */
    {LOCK_TRIES_ZERO, NX_MUTEX, "nxmutex_trylock"},
    {LOCK_GIVES, NX_MUTEX, "nxmutex_unlock"},
    {LOCK_BEGINS, NX_MUTEX, "nxmutex_init"},
    {LOCK_TAKES, NX_RECURSIVE, "nxrmutex_lock"},
    {LOCK_TRIES_ZERO, NX_RECURSIVE, "nxrmutex_trylock"},
    {LOCK_GIVES, NX_RECURSIVE, "nxrmutex_unlock"},
    {LOCK_BEGINS, NX_RECURSIVE, "nxrmutex_init"},
};

#define KNOWN (sizeof(known) / sizeof(*known))

static bool is_there(const struct lock_functions *all, uint64_t entry)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->function[i].asked.entry == entry)
            return true;
    return false;
}

/* Adds the functions of that name. Returns their number, or a negative errno. */
static int add(struct lock_functions *all, const struct lock_function *described,
               struct refusal *why)
{
    struct symbol symbol;
    int found = 0;

    for (size_t i = 0; elf_symbols_function(i, &symbol); i++) {
        if (strcmp(symbol.name, described->name) != 0)
            continue;
        found++;
        if (is_there(all, symbol.address))
            continue;
        if (all->count == LOCK_FUNCTIONS_MOST)
            return refuse(why, EINVAL, "more than %u functions of locks", LOCK_FUNCTIONS_MOST);
        all->function[all->count] = *described;
        all->function[all->count++].asked.entry = symbol.address;
    }
    return found;
}

/* --- Those that were given --- */

/* An argument, or the variable that is the only lock. */
static int read_lock(const char *option, char *text, const struct kernel *kernel,
                     struct lock_function *function, struct refusal *why)
{
    const char *at = text;
    struct place_range range;
    int error;

    if (number_read(&at, 10, ARGUMENTS_MOST, &function->asked.lock) == NUMBER_READ && !*at &&
        function->asked.lock > 0)
        return 0;
    if (*text == '\0' || (*text >= '0' && *text <= '9'))
        return refuse(why, EINVAL,
                      "%s %s:%s: F[:LOCK], with LOCK an argument from 1 to 6, or a variable",
                      option, function->name, text);
    error = place_read_range(text, kernel, 0, &range, why);
    if (!error)
        function->asked.lock = range.address;
    return error;
}

static int add_given(struct lock_functions *all, const char *option,
                     const struct lock_function *kind, const struct spelt_events *given,
                     const struct kernel *kernel, struct refusal *why)
{
    for (unsigned i = 0; i < given->count; i++) {
        struct lock_function described = *kind;
        char *zero = strrchr(given->text[i], '='), *lock;
        int found;

        if (zero && kind->asked.kind == LOCK_TRIES && strcmp(zero, "=0") == 0) {
            described.asked.kind = LOCK_TRIES_ZERO;
            *zero = '\0';
        }
        lock = function_split(given->text[i]);
        described.name = given->text[i];
        described.asked.lock = 1;
        found = lock ? read_lock(option, lock, kernel, &described, why) : 0;
        if (!found)
            found = add(all, &described, why);
        if (found < 0)
            return found;
        if (found == 0)
            return place_refuse_name("function", described.name, kernel, why);
    }
    return 0;
}

static bool has(const struct lock_functions *all, enum lock_function_kind kind, unsigned family)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->function[i].asked.kind == kind && all->function[i].family == family)
            return true;
    return false;
}

static int check_given(const struct lock_functions *all, struct refusal *why)
{
    bool takes = has(all, LOCK_TAKES, GIVEN) || has(all, LOCK_TRIES, GIVEN) ||
                 has(all, LOCK_TRIES_ZERO, GIVEN);

    if (all->count == 0 || (takes && has(all, LOCK_GIVES, GIVEN)))
        return 0;
    return takes ? refuse(why, EINVAL, "%s takes locks: add its --unlock FUNCTION",
                          all->function[0].name)
                 : refuse(why, EINVAL, "%s: add its --lock or --mutex FUNCTION",
                          all->function[0].name);
}

/* --- Those of known names --- */

static bool sleeps(unsigned family)
{
    return family >= SLEEP_LOCK;
}

/*
 * A family is used only if what takes and what gives back are there: what is inlined is not seen.
 * `acquire` and `release` may be of anything; only xv6's have an `initlock`.
 */
static bool is_whole(const struct lock_functions *all, unsigned family)
{
    return has(all, LOCK_TAKES, family) && has(all, LOCK_GIVES, family) &&
           (family != ACQUIRE || has(all, LOCK_BEGINS, family));
}

static void keep_whole(struct lock_functions *all)
{
    struct lock_functions kept = {.count = 0};

    for (size_t i = 0; i < all->count; i++)
        if (is_whole(all, all->function[i].family))
            kept.function[kept.count++] = all->function[i];
    *all = kept;
}

static int add_known(struct lock_functions *all, struct refusal *why)
{
    for (size_t i = 0; i < KNOWN; i++) {
        struct lock_function described = {
            .name = known[i].name,
            .family = known[i].family,
            .asked = {.lock = 1, .kind = known[i].kind, .sleeps = sleeps(known[i].family)}};
        int found = add(all, &described, why);

        if (found < 0)
            return found;
    }
    keep_whole(all);
    return 0;
}

int lock_functions_find(struct lock_functions *all, const struct pitot_options *options,
                        const struct kernel *kernel, struct refusal *why)
{
    static const struct lock_function takes = {.asked = {.kind = LOCK_TAKES}},
                                      mutex = {.asked = {.kind = LOCK_TAKES, .sleeps = 1}},
                                      tries = {.asked = {.kind = LOCK_TRIES}},
                                      gives = {.asked = {.kind = LOCK_GIVES}},
                                      begins = {.asked = {.kind = LOCK_BEGINS}};
    int error = add_given(all, "--lock", &takes, &options->lock, kernel, why);

    if (!error)
        error = add_given(all, "--mutex", &mutex, &options->mutex, kernel, why);
    if (!error)
        error = add_given(all, "--trylock", &tries, &options->trylock, kernel, why);
    if (!error)
        error = add_given(all, "--unlock", &gives, &options->unlock, kernel, why);
    if (!error)
        error = add_given(all, "--lock-init", &begins, &options->lock_init, kernel, why);
    if (!error)
        error = check_given(all, why);
    all->given = all->count > 0;
    return error || all->given ? error : add_known(all, why);
}

int lock_functions_find_wakes(struct lock_functions *all, const struct pitot_options *options,
                              const struct kernel *kernel, struct refusal *why)
{
    static const struct lock_function waits = {.asked = {.kind = LOCK_WAITS}},
                                      wakes = {.asked = {.kind = LOCK_WAKES}};
    int error = add_given(all, "--wait", &waits, &options->wait, kernel, why);

    return error ? error : add_given(all, "--wake", &wakes, &options->wake, kernel, why);
}
