/* SPDX-License-Identifier: BSD-2-Clause */
/* See kernel_locks.h: functions of locks. */
#include "outside/plugin/kernel_locks.h"

#include <stdlib.h>
#include <string.h>

#include "outside/plugin/clock.h"
#include "outside/plugin/follow.h"
#include "outside/plugin/held.h"
#include "outside/plugin/named.h"
#include "outside/plugin/registers.h"
#include "outside/plugin/run.h"
#include "outside/plugin/tell.h"
#include "outside/plugin/trace.h"

#define CALLS 65536u /* that have not returned; a power of two */

/* A call of a function of locks. */
struct call {
    uint64_t number; /* 0: free */
    const struct request_lock_function *function;
    uint64_t address; /* of the lock */
    uint64_t began;
    uint64_t asked; /* `began` in the time of a trace */
    uint32_t thread;
    bool contended;
    struct wire_place place;
};

static struct named_functions functions;
static struct call *calls; /* [number % CALLS] */
static uint64_t call_count;

bool lock_functions_begin(const struct request *request)
{
    functions = named_functions_of(request->locks.functions, request->locks.function_count);
    calls = calloc(CALLS, sizeof(*calls));
    return calls;
}

void lock_functions_slide(uint64_t by)
{
    functions.slide += by;
}

bool lock_functions_have(uint64_t ip)
{
    return named_functions_find(&functions, ip);
}

/* --- Calls --- */

static struct call *call_of(uint64_t number)
{
    struct call *call = &calls[number % CALLS];

    return number && call->number == number ? call : NULL;
}

static struct trace_asking asking_of(const struct call *call)
{
    return (struct trace_asking){.place = call->place,
                                 .at = call->asked,
                                 .thread = call->thread,
                                 .contended = call->contended};
}

/* Calls that were left without a return give way, if all places are taken. */
static uint64_t new_call(void)
{
    for (unsigned i = 0; i < CALLS && calls[++call_count % CALLS].number; i++)
        ;
    return call_count;
}

/* True if a function of locks that has the same lock has called this one, or jumped to it. */
static bool is_part(unsigned cpu, uint64_t address)
{
    uint64_t number;

    for (unsigned outer = 0; (number = follow_allocation(cpu, outer)) != 0; outer++) {
        const struct call *call = call_of(number);

        if (call && call->address == address)
            return true;
    }
    return false;
}

static unsigned flags_of(const struct request_lock_function *function)
{
    return function->sleeps ? WIRE_LOCK_SLEEPS : 0;
}

/* What the function does at once. */
static void begin(unsigned cpu, const struct request_lock_function *function, struct call *call)
{
    struct lock *lock = function->kind == LOCK_BEGINS
                            ? held_renew(call->address, flags_of(function))
                            : held_lock(call->address, flags_of(function));

    if (!lock)
        return;
    lock->flags = (lock->flags & ~(unsigned)WIRE_LOCK_SEEN) | flags_of(function);
    call->contended = held_by_another(cpu, lock);
    if (run.trace && function->kind == LOCK_GIVES)
        trace_locks_gives(lock);
    if (function->kind == LOCK_GIVES)
        held_gives(cpu, lock);
    if (function->kind == LOCK_TAKES)
        held_wants(cpu, lock, &call->place);
}

void lock_functions_enter(unsigned cpu, uint64_t ip)
{
    const struct request_lock_function *function = named_functions_find(&functions, ip);
    struct call call;

    if (!function) /* the kernel has moved since */
        return;
    call = (struct call){.number = new_call(),
                         .function = function,
                         .address = named_functions_value(&functions, cpu, function),
                         .began = clock_time(cpu),
                         .asked = run.trace ? clock_sum() : 0,
                         .thread = follow_thread(cpu),
                         .place = {.context = follow_context(cpu), .cpu = cpu}};
    if (!call.address || is_part(cpu, call.address))
        return;
    if (!follow_allocates(cpu, registers_general(cpu, REGISTERS_SP), ip, call.number)) {
        if (function->kind == LOCK_GIVES || function->kind == LOCK_BEGINS) /* need no return */
            begin(cpu, function, &call);
        return;
    }
    begin(cpu, function, &call);
    calls[call.number % CALLS] = call;
}

static bool has_taken(unsigned cpu, unsigned kind)
{
    uint8_t result = (uint8_t)registers_general(cpu, REGISTERS_AX);

    return kind == LOCK_TAKES || (kind == LOCK_TRIES && result != 0) ||
           (kind == LOCK_TRIES_ZERO && result == 0);
}

void lock_functions_return(unsigned cpu, uint64_t number)
{
    struct call *place = call_of(number), call;
    struct held_taking taking;
    struct lock *lock;

    if (!place)
        return;
    call = *place;
    place->number = 0;
    if (!has_taken(cpu, call.function->kind))
        return;
    taking = (struct held_taking){.place = call.place,
                                  .waits = call.function->kind == LOCK_TAKES,
                                  .contended = call.contended,
                                  .moved = call.place.cpu != cpu};
    if (!taking.moved)
        taking.waited = clock_time(cpu) - call.began;
    lock = held_lock(call.address, flags_of(call.function));
    if (!lock)
        return;
    held_takes(cpu, lock, &taking);
    if (run.trace) {
        const struct trace_asking asking = asking_of(&call);

        trace_locks_takes(lock, &asking);
    }
}

void lock_functions_reset(void)
{
    memset(calls, 0, CALLS * sizeof(*calls));
}

void lock_functions_tell(void)
{
    for (unsigned i = 0; i < CALLS; i++) {
        const struct call *call = &calls[i];
        const struct lock *lock =
            call->number && call->function->kind == LOCK_TAKES ? held_lock(call->address, 0) : NULL;
        struct wire_lock_wait wait;

        if (!lock || lock->depth == 0)
            continue;
        wait = (struct wire_lock_wait){.lock = lock->number,
                                       .thread = call->thread,
                                       .place = call->place,
                                       .length = clock_time(call->place.cpu) - call->began};
        tell_lock_wait(&wait, call->place.cpu);
        if (run.trace) {
            const struct trace_asking asking = asking_of(call);

            trace_locks_waits(lock, &asking);
        }
    }
}
