/* SPDX-License-Identifier: BSD-2-Clause */
/* `pitot locks` of command.h. */
#include "outside/pitot/locks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "outside/pitot/array.h"
#include "outside/pitot/command.h"
#include "outside/pitot/contexts.h"
#include "outside/pitot/plain.h"

static struct wire_lock *locks;
static size_t lock_count, lock_room;
static struct wire_lock_wait *waits;
static size_t wait_count, wait_room;
static struct wire_masked *times;
static size_t time_count, time_room;
static struct wire_locks totals;

/* --- The plugin's records --- */

static bool is_place(const struct wire_place *place)
{
    return contexts_depth(place->context) >= 0;
}

static bool is_moment(const struct wire_lock_moment *moment)
{
    return is_place(&moment->taken) && is_place(&moment->at);
}

static int refuse_record(const struct wire_head *record, struct refusal *why)
{
    return refuse(why, EINVAL, "the plugin's record of kind %u is invalid", record->kind);
}

/* Locks come in the order of their numbers. */
static int take_lock(const struct wire_lock *lock, struct refusal *why)
{
    int error;

    if (!is_moment(&lock->open) || !is_moment(&lock->handler) || !is_moment(&lock->halted) ||
        !is_moment(&lock->left) || !is_place(&lock->first) || !is_place(&lock->by) ||
        !is_place(&lock->longest_wait.place) || !is_place(&lock->longest_hold.place) ||
        (lock_count > 0 && locks[lock_count - 1].lock >= lock->lock))
        return refuse_record(&lock->head, why);
    error = array_grow(&locks, &lock_room, lock_count + 1, sizeof(*locks), "locks", why);
    if (!error)
        locks[lock_count++] = *lock;
    return error;
}

static int take_order(const struct wire_lock_order *order, struct refusal *why)
{
    if (!is_place(&order->outer) || !is_place(&order->inner) || order->from == order->to ||
        order->count == 0 || order->guard_count > WIRE_GUARDS_MOST)
        return refuse_record(&order->head, why);
    return lock_cycles_add(order, why);
}

static int take_wait(const struct wire_lock_wait *wait, struct refusal *why)
{
    int error = is_place(&wait->place) ? 0 : refuse_record(&wait->head, why);

    if (!error)
        error = array_grow(&waits, &wait_room, wait_count + 1, sizeof(*waits), "waits", why);
    if (!error)
        waits[wait_count++] = *wait;
    return error;
}

static int take_masked(const struct wire_masked *masked, struct refusal *why)
{
    int error =
        is_place(&masked->off) && is_place(&masked->on) ? 0 : refuse_record(&masked->head, why);

    if (!error)
        error = array_grow(&times, &time_room, time_count + 1, sizeof(*times), "times", why);
    if (!error)
        times[time_count++] = *masked;
    return error;
}

static int take(const struct wire_head *record, struct refusal *why)
{
    switch (record->kind) {
    case WIRE_LOCK:
        return take_lock((const void *)record, why);
    case WIRE_LOCK_ORDER:
        return take_order((const void *)record, why);
    case WIRE_LOCK_WAIT:
        return take_wait((const void *)record, why);
    case WIRE_MASKED:
        return take_masked((const void *)record, why);
    case WIRE_LOCKS:
        totals = *(const struct wire_locks *)record;
        return 0;
    default:
        return 0;
    }
}

/* --- What is asked --- */

static void ask(const struct lock_functions *functions, struct request *request)
{
    request->chains = true;
    request->locks.watch = true;
    request->locks.words = !functions->given;
    request->locks.function_count = (uint32_t)functions->count;
    for (size_t i = 0; i < functions->count; i++)
        request->locks.functions[i] = functions->function[i].asked;
}

static void tell_functions(const struct lock_functions *functions)
{
    char *list = NULL;
    size_t size;
    FILE *text = open_memstream(&list, &size);

    for (size_t i = 0; text && i < functions->count; i++)
        fprintf(text, " %s", functions->function[i].name);
    if (text && fclose(text) == 0)
        plain_tell("pitot: functions of locks:%s",
                   functions->count > 0 ? list
                                        : " none of a known name; locks are those that are seen");
    free(list);
}

/* --- What is wrong --- */

static bool may_sleep(const struct wire_lock *lock)
{
    return lock->flags & WIRE_LOCK_SLEEPS;
}

/* Returns how many reports there are. */
static size_t tell_lock(const struct wire_lock *lock)
{
    size_t count = 0;

    if (lock->open.count > 0 && lock->handler.count > 0 && !may_sleep(lock))
        lock_text_inversion(lock), count++;
    if (lock->halted.count > 0 && !may_sleep(lock))
        lock_text_moment(lock, &lock->halted, "held at hlt", "halts at"), count++;
    if (lock->left.count > 0 && !may_sleep(lock))
        lock_text_moment(lock, &lock->left, "held at a thread switch", "left at"), count++;
    if (lock->holder)
        lock_text_held(lock, waits, wait_count); /* which may be in order */
    return count;
}

static int tell_reports(size_t *reports, struct refusal *why)
{
    struct lock_cycle *cycles;
    int count = lock_cycles_find(&cycles, why);

    if (count < 0)
        return count;
    *reports = (size_t)count;
    for (int i = 0; i < count; i++)
        lock_text_cycle(&cycles[i]);
    free(cycles);
    if (!lock_cycles_are_all())
        fprintf(stderr, "pitot: too many orders of locks: there may be more cycles\n");
    for (size_t i = 0; i < lock_count; i++)
        *reports += tell_lock(&locks[i]);
    return 0;
}

/* --- The end --- */

static int compare_masked(const void *a, const void *b)
{
    uint64_t left = ((const struct wire_masked *)a)->longest,
             right = ((const struct wire_masked *)b)->longest;

    return left > right ? -1 : left < right;
}

static int tell_all(const struct command *command, const struct watch *watch, struct refusal *why)
{
    uint64_t taken = 0, unseen = 0;
    size_t reports = 0, held = 0;
    int error;

    lock_text_locks(locks, lock_count);
    error = lock_count > 0 ? lock_text_table(command->options->rows, why) : 0;
    if (time_count > 0)
        qsort(times, time_count, sizeof(*times), compare_masked);
    lock_text_masked(times, time_count);
    fprintf(stderr, "\n");
    if (!error)
        error = tell_reports(&reports, why);
    if (error)
        return error;
    for (size_t i = 0; i < lock_count; i++) {
        taken += locks[i].taken;
        unseen += locks[i].unseen;
        held += locks[i].holder != 0;
    }
    if (watch_ran(watch) && lock_count == 0)
        fprintf(stderr, "pitot: no lock was taken; name the kernel's functions: --lock FUNCTION "
                        "and --unlock FUNCTION\n");
    watch_tell(unseen, "lock", "taken or given back unseen: by code that is not named");
    watch_tell(totals.queues, "word",
               "taken by xadd or xchg, whose holder is not seen: --lock names their functions");
    watch_tell(totals.lost_locks, "lock", "without room");
    watch_tell(totals.lost_words, "exchange", "without room: locks by sight may be missing");
    watch_tell(totals.lost_holds, "lock", "taken by a thread that held 24: orders are missing");
    watch_tell(totals.lost_orders, "order", "of locks without room");
    watch_tell(totals.lost_masked, "time", "with interrupts off without room");
    watch_tell_losses(watch);
    fprintf(stderr,
            "[ pitot locks: %zu report%s; %zu lock%s, taken %" PRIu64 " time%s, %zu held at the "
            "end ]\n",
            reports, reports == 1 ? "" : "s", lock_count, lock_count == 1 ? "" : "s", taken,
            taken == 1 ? "" : "s", held);
    return 0;
}

int command_locks(const struct command *command, struct watch *watch, struct refusal *why)
{
    static struct lock_functions functions;
    int error = lock_functions_find(&functions, command->options, watch->kernel, why);

    if (error)
        return error;
    ask(&functions, &watch->request);
    tell_functions(&functions);
    watch->take = take;
    error = watch_run(watch, why);
    return error ? error : tell_all(command, watch, why);
}
