/* SPDX-License-Identifier: BSD-2-Clause */
/* See held.h. */
#include "outside/plugin/held.h"

#include <stdlib.h>

#include "outside/plugin/clock.h"
#include "outside/plugin/context.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/kernel_locks.h"
#include "outside/plugin/numbered.h"
#include "outside/plugin/tell.h"

#define LOCKS_MOST (1u << 18)
#define PLACES     (2 * LOCKS_MOST) /* of the hash table */
#define HOLDS_MOST 24u              /* locks of a thread */

static struct lock *locks; /* [number - 1]; pages take memory only once used */
static uint32_t lock_count;
static uint32_t *numbers; /* a hash table with open addressing, by address; 0: free */
static uint64_t lost, lost_holds;

/* Else an order could lack a guard, and be part of a cycle that cannot be. */
_Static_assert(HOLDS_MOST <= WIRE_GUARDS_MOST, "an order has room for all that was held");

/* What a thread holds, in the order of taking. */
struct holder {
    unsigned count;
    struct lock *locks[HOLDS_MOST];
};
static struct numbered holders; /* struct holder, [thread] */

static struct cpu {
    uint32_t thread; /* that was seen last; 0: not known */
    /* Before the switch that is running: where it was, and how many handlers its stack had. */
    bool known;
    struct wire_place before;
    unsigned handlers;
} cpus[FOLLOW_CPUS];

bool held_begin(void)
{
    locks = calloc(LOCKS_MOST, sizeof(*locks));
    numbers = calloc(PLACES, sizeof(*numbers));
    return locks && numbers && lock_order_begin();
}

/* --- Locks by address --- */

static bool is_at(const struct lock *lock, uint64_t address, unsigned flags)
{
    return lock->address == address && lock->flags >> WIRE_LOCK_PART == flags >> WIRE_LOCK_PART;
}

static uint32_t *number_of(uint64_t address, unsigned flags)
{
    uint32_t at = (uint32_t)((address * 0x9e3779b97f4a7c15u) >> 32) % PLACES;

    while (numbers[at] && !is_at(&locks[numbers[at] - 1], address, flags))
        at = (at + 1) % PLACES;
    return &numbers[at];
}

static struct lock *add(uint64_t address, unsigned flags, uint32_t *place)
{
    struct lock *lock = &locks[lock_count];

    if (lock_count == LOCKS_MOST) {
        lost++;
        return NULL;
    }
    *place = ++lock_count;
    *lock = (struct lock){.address = address, .number = lock_count, .flags = flags};
    return lock;
}

struct lock *held_lock(uint64_t address, unsigned flags)
{
    uint32_t *place = number_of(address, flags);

    return *place ? &locks[*place - 1] : add(address, flags, place);
}

struct lock *held_renew(uint64_t address, unsigned flags)
{
    uint32_t *place = number_of(address, flags);
    struct lock *lock = *place ? &locks[*place - 1] : NULL;

    if (!lock || !lock->ordered)
        return held_lock(address, flags);
    held_drops(lock);
    lock = add(address, flags, place);
    return lock ? lock : &locks[*place - 1];
}

/* --- Who holds them --- */

/* NULL: not known, or no memory. */
static struct holder *holder_of(uint32_t thread)
{
    if (thread == 0)
        return NULL;
    return numbered_at(&holders, thread, sizeof(struct holder));
}

/* What the CPU's thread holds. */
static struct holder *holder_on(unsigned cpu)
{
    return follow_is_open(cpu) ? NULL : holder_of(follow_thread(cpu));
}

bool held_by_another(unsigned cpu, const struct lock *lock)
{
    return lock->depth > 0 && lock->thread != follow_thread(cpu);
}

void held_wants(unsigned cpu, struct lock *lock, const struct wire_place *place)
{
    const struct holder *holder = holder_on(cpu);

    if (!holder || context_at(place->context)->unknown)
        return;
    for (unsigned i = 0; i < holder->count; i++)
        if (holder->locks[i] == lock)
            return; /* its own: taken again */
    for (unsigned i = 0; i < holder->count; i++)
        lock_order_add(follow_thread(cpu), holder->locks, holder->count, i, lock, place);
}

static void count_moment(struct wire_lock_moment *moment, const struct wire_place *taken,
                         const struct wire_place *at)
{
    if (moment->count++ == 0) {
        moment->taken = *taken;
        moment->at = *at;
    }
}

static void count_wait(struct lock *lock, const struct held_taking *taking)
{
    struct wire_lock *told = &lock->told;

    told->contended++;
    told->moved += taking->moved;
    told->waited += taking->waited;
    if (taking->waited > told->longest_wait.length)
        told->longest_wait = (struct wire_lock_span){taking->waited, taking->place};
}

void held_takes(unsigned cpu, struct lock *lock, const struct held_taking *taking)
{
    struct holder *holder = holder_on(cpu);

    if (lock->depth > 0 && lock->thread == follow_thread(cpu)) {
        lock->depth++;
        return;
    }
    if (lock->depth > 0) {
        lock->told.unseen++;
        held_drops(lock);
    }
    lock->depth = 1;
    lock->cpu = cpu;
    lock->thread = holder ? follow_thread(cpu) : 0;
    lock->since = clock_time(cpu);
    lock->handlers = follow_handlers(cpu);
    lock->by = taking->place;
    lock->leaves.count = 0;
    if (lock->told.taken++ == 0)
        lock->told.first = taking->place;
    if (taking->contended)
        count_wait(lock, taking);
    if (lock->handlers > 0 && taking->waits)
        count_moment(&lock->told.handler, &lock->by, &lock->by);
    if (kernel_locks_are_open(cpu))
        count_moment(&lock->told.open, &lock->by, &lock->by);
    if (holder && holder->count < HOLDS_MOST)
        holder->locks[holder->count++] = lock;
    else if (holder)
        lost_holds++;
}

void held_drops(struct lock *lock)
{
    struct holder *holder = lock->depth > 0 ? holder_of(lock->thread) : NULL;
    unsigned kept = 0;

    lock->depth = 0;
    for (unsigned i = 0; holder && i < holder->count; i++)
        if (holder->locks[i] != lock)
            holder->locks[kept++] = holder->locks[i];
    if (holder)
        holder->count = kept;
}

static void count_hold(unsigned cpu, struct lock *lock)
{
    uint64_t length = clock_time(cpu) - lock->since;
    struct wire_lock *told = &lock->told;

    if (lock->cpu != cpu) {
        told->moved++;
        return;
    }
    told->held += length;
    if (length > told->longest_hold.length)
        told->longest_hold = (struct wire_lock_span){length, lock->by};
}

void held_gives(unsigned cpu, struct lock *lock)
{
    if (lock->depth == 0) {
        lock->told.unseen++;
        return;
    }
    if (lock->depth > 1) {
        lock->depth--;
        return;
    }
    count_hold(cpu, lock);
    if (lock->leaves.count > 0 && lock->thread == follow_thread(cpu))
        count_moment(&lock->told.left, &lock->leaves.taken, &lock->leaves.at);
    held_drops(lock);
}

/* --- What happens while they are held --- */

void held_opens(unsigned cpu, const struct wire_place *place)
{
    const struct holder *holder = holder_on(cpu);

    for (unsigned i = 0; holder && i < holder->count; i++)
        count_moment(&holder->locks[i]->told.open, &holder->locks[i]->by, place);
}

void held_halts(unsigned cpu, const struct wire_place *place)
{
    const struct holder *holder = holder_on(cpu);

    for (unsigned i = 0; holder && i < holder->count; i++)
        count_moment(&holder->locks[i]->told.halted, &holder->locks[i]->by, place);
}

void held_before_switch(unsigned cpu)
{
    cpus[cpu].known = !follow_is_open(cpu);
    if (!cpus[cpu].known)
        return;
    cpus[cpu].thread = follow_thread(cpu);
    cpus[cpu].before = (struct wire_place){.context = follow_context(cpu), .cpu = cpu};
    cpus[cpu].handlers = follow_handlers(cpu);
}

/*
 * A handler that loads a stack of its own has not left what it interrupted: only locks that were
 * taken since the handler began are its own to give back.
 */
void held_after_switch(unsigned cpu)
{
    uint32_t left = cpus[cpu].thread, thread = follow_is_open(cpu) ? left : follow_thread(cpu);
    const struct holder *holder = thread == left ? NULL : holder_of(left);

    cpus[cpu].thread = thread;
    for (unsigned i = 0; holder && i < holder->count; i++) {
        struct lock *lock = holder->locks[i];

        if (cpus[cpu].known && lock->handlers == cpus[cpu].handlers)
            count_moment(&lock->leaves, &lock->by, &cpus[cpu].before);
    }
}

/* --- The end --- */

void held_reset(void)
{
    for (uint32_t i = 0; i < lock_count; i++)
        held_drops(&locks[i]);
}

void held_tell(struct wire_locks *totals)
{
    for (uint32_t i = 0; i < lock_count; i++) {
        struct lock *lock = &locks[i];
        struct wire_lock *told = &lock->told;

        if (told->taken == 0 || (lock->flags & WIRE_LOCK_SEEN && !lock->sound))
            continue;
        told->lock = lock->number;
        told->flags = lock->flags;
        told->address = lock->address;
        if (lock->depth > 0) {
            told->holder = lock->thread;
            told->by = lock->by;
        }
        tell_lock(told);
    }
    lock_order_tell(&totals->lost_orders, locks);
    totals->lost_locks = lost;
    totals->lost_holds = lost_holds;
}
