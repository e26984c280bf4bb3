/* SPDX-License-Identifier: BSD-2-Clause */
/* See trace.h: who wakes whom. */
#include "outside/plugin/trace.h"

#include "outside/plugin/clock.h"
#include "outside/plugin/code.h"
#include "outside/plugin/context.h"
#include "outside/plugin/events.h"
#include "outside/plugin/named.h"
#include "outside/plugin/registers.h"
#include "outside/plugin/run.h"
#include "outside/plugin/tell.h"
#include "outside/plugin/track.h"

#define NUMBERS    (UINT64_C(1) << 63) /* of calls here: those of lock_functions.c are below */
#define WAITS_MOST 4096

static struct named_functions functions;

/* Calls that have not returned. */
static struct wait {
    uint64_t number;
    uint64_t value;
    uint64_t arrow;           /* to the thread's next run; 0: none */
    uint32_t thread, context; /* context: what it calls is within */
} waits[WAITS_MOST];
static uint32_t wait_count;
static uint64_t numbers = NUMBERS, arrows;
static bool lost; /* a call had no room: who waits is not known any more */

void trace_wakes_begin(const struct request *request)
{
    functions = named_functions_of(request->trace.wakes, request->trace.wake_count);
}

void trace_wakes_slide(uint64_t by)
{
    functions.slide += by;
}

/* --- Who waits --- */

static void remove_wait(struct wait *wait)
{
    *wait = waits[--wait_count];
}

/* True if the call of this context may be one of those that the other context is within. */
static bool is_around(uint32_t call, uint32_t context)
{
    if (context_at(context)->unknown)
        return true;
    while (context != CONTEXT_NONE && context != call)
        context = context_at(context)->outer;
    return context != CONTEXT_NONE;
}

/* The thread calls again in this context: calls that it has left without a return are gone. */
static void forget_left(uint32_t thread, uint32_t caller)
{
    for (uint32_t i = wait_count; i-- > 0;)
        if (waits[i].thread == thread && !is_around(waits[i].context, caller))
            remove_wait(&waits[i]);
}

static bool is_there(uint32_t thread, uint64_t value)
{
    for (uint32_t i = 0; i < wait_count; i++)
        if (waits[i].thread == thread && waits[i].value == value)
            return true;
    return false;
}

static void add_wait(const struct wait *wait)
{
    if (wait_count == WAITS_MOST)
        lost = true;
    else
        waits[wait_count++] = *wait;
}

/*
 * A call whose return will not be seen, as of a function that was jumped to, stays for good, of
 * thread 0: one of those that wait for this value is then not known.
 */
static void begin_wait(unsigned cpu, uint64_t ip, uint64_t value)
{
    struct wait wait = {.number = ++numbers, .value = value, .thread = follow_thread(cpu)};

    if (wait.thread)
        forget_left(wait.thread, follow_context(cpu));
    if (wait.thread && follow_allocates(cpu, registers_general(cpu, REGISTERS_SP), ip, numbers)) {
        wait.context = follow_context(cpu);
        add_wait(&wait);
    } else if (!is_there(wait.thread, value) && !is_there(0, value)) {
        wait.thread = 0;
        add_wait(&wait);
    }
}

bool trace_wakes_return(uint64_t number)
{
    for (uint32_t i = 0; i < wait_count; i++)
        if (waits[i].number == number) {
            remove_wait(&waits[i]);
            break;
        }
    return number >= NUMBERS;
}

void trace_wakes_reset(void)
{
    wait_count = 0;
}

/* --- Wakes --- */

/* The call of a thread that waits for the value, if it is one thread; *count: how many there are */
static struct wait *waiting_for(uint64_t value, uint32_t *count)
{
    struct wait *found = NULL;

    *count = 0;
    for (uint32_t i = 0; i < wait_count; i++) {
        if (waits[i].value != value || (found && found->thread == waits[i].thread))
            continue;
        found = &waits[i];
        ++*count;
    }
    return *count == 1 && !lost && found->thread ? found : NULL;
}

/* False: what the call has called waits, too. Until that is woken, the thread does not run. */
static bool is_innermost(const struct wait *wait)
{
    for (uint32_t i = 0; i < wait_count; i++)
        if (waits[i].thread == wait->thread && waits[i].number > wait->number)
            return false;
    return true;
}

static void wake(unsigned cpu, uint64_t ip, uint64_t value)
{
    uint64_t now = clock_sum();
    struct wire_wake record = {.thread = follow_thread(cpu),
                               .context = follow_context(cpu),
                               .function = ip,
                               .value = value,
                               .time = now};
    struct wait *wait = waiting_for(value, &record.waiting);
    const struct track *track = wait ? track_of(wait->thread) : NULL;

    if (!window_open())
        return;
    if (record.thread && track && track->cpu == TRACK_NO_CPU && !wait->arrow && is_innermost(wait))
        record.arrow = wait->arrow = ++arrows;
    tell_wake(&record, cpu);
    track_count_sent(now);
    if (track_full_at() == now)
        trace_cut();
}

void trace_wakes_run(uint32_t thread, unsigned cpu, uint64_t now)
{
    for (uint32_t i = 0; i < wait_count; i++) {
        struct wire_woken record = {.arrow = waits[i].arrow, .thread = thread, .time = now};

        if (waits[i].thread != thread || !waits[i].arrow)
            continue;
        waits[i].arrow = 0;
        tell_woken(&record, cpu);
    }
}

static void on_function(unsigned cpu, void *own)
{
    uint64_t ip = (uintptr_t)own;

    if (run_take(cpu)) {
        const struct request_lock_function *function = named_functions_find(&functions, ip);
        uint64_t value = function ? named_functions_value(&functions, cpu, function) : 0;

        if (function && function->kind == LOCK_WAKES)
            wake(cpu, ip, value);
        else if (function)
            begin_wait(cpu, ip, value);
    }
    plugin_unlock();
}

void trace_wakes_watch(const struct instruction *instruction)
{
    uint64_t ip = instruction->code->ip;

    if (functions.count > 0 && code_is_kernels(ip) && named_functions_find(&functions, ip))
        qemu_plugin_register_vcpu_insn_exec_cb(instruction->qemu, on_function,
                                               QEMU_PLUGIN_CB_R_REGS, (void *)(uintptr_t)ip);
}
