/* SPDX-License-Identifier: BSD-2-Clause */
/* See run.h. */
#include "outside/plugin/run.h"

#include "outside/plugin/blame.h"
#include "outside/plugin/code.h"
#include "outside/plugin/events.h"
#include "outside/plugin/tell.h"
#include "outside/plugin/trace.h"

struct run run;

static struct cpu {
    _Alignas(64) uint64_t calls; /* while hits were counted */
    uint64_t call_stored;        /* the time of the last store of a call */
} cpus[FOLLOW_CPUS];

static struct wire_end totals;
static bool ended; /* under the lock: other CPUs may still run while QEMU exits */

static void begin_parts(qemu_plugin_id_t id, const struct request *request, unsigned count)
{
    plugin_lock_begin(count);
    store_begin(count);
    window_begin(request);
    events_begin(request);
    cover_begin(request, count);
    blame_begin(request);
    facts_begin(id, request);
    run.chains = request->chains;
    run.registers = request->registers;
    run.graph = request->graph;
    run.last = request->last;
    run.locks = request->locks.watch;
    run.trace = request->trace.slices;
    run.returns = events_returns();
    run.samples = events_instructions();
    run.entries = run.graph || run.returns || run.last || run.trace;
    run.vectors = run.last || run.trace || events_vectors() || blame_watch() || run.locks ||
                  request->race.every;
    last_init(run.last);
}

const char *run_begin(qemu_plugin_id_t id, const struct request *request, unsigned count)
{
    begin_parts(id, request, count);
    if (!code_begin(request))
        return "the kernel's file cannot be read";
    if (!follow_init() || (run.graph && !graph_init()) || (run.trace && !trace_begin(request)) ||
        !clock_begin(count))
        return "out of memory";
    return tell_begin(request->out, count, run.registers)
               ? NULL
               : "out of memory, or the pipe to pitot is closed";
}

bool run_take(unsigned cpu)
{
    plugin_lock();
    facts_for(cpu);
    return !ended;
}

void run_change(unsigned cpu)
{
    run_take(cpu);
    if (run.returns)
        follow_time(cpu, clock_time(cpu));
    judges_before_switch(cpu);
}

/* The time of an event: of a trace on all CPUs' clock. */
static uint64_t event_time(unsigned cpu)
{
    return run.trace ? clock_sum() : clock_time(cpu);
}

/* The current context may be another one; `called`: it has begun. */
static void charge(unsigned cpu, bool called)
{
    if (run.graph)
        graph_continue(cpu, called, clock_time(cpu));
}

void run_changed(unsigned cpu)
{
    charge(cpu, false);
    if (!ended)
        judges_after_switch(cpu);
    if (run.trace && !ended)
        trace_change(cpu, false, 0, NULL);
    plugin_unlock();
}

/* A callee or handler begins. */
static void begins(unsigned cpu, uint64_t entry, const struct last_interrupt *interrupt)
{
    charge(cpu, true);
    if (run.last)
        last_begins(cpu, entry, clock_time(cpu), interrupt);
}

__attribute__((noinline)) static void call_anew(unsigned cpu, uint64_t place,
                                                const struct code *call)
{
    bool is_on = run_take(cpu);

    follow_call(cpu, place, call->ip, call->next, call->target);
    if (run.trace && is_on)
        trace_change(cpu, call->target != call->next, call->target, NULL);
    plugin_unlock();
}

/* The callee's entry is needed, too. */
__attribute__((noinline)) static void enter(unsigned cpu, uint64_t place, const struct code *call)
{
    if (run.returns)
        follow_time(cpu, clock_time(cpu));
    if (!follow_calls(cpu, place, call->ip, call->next, call->target))
        call_anew(cpu, place, call);
    else if (run.trace)
        trace_called(cpu, call->target);
    if (call->target == 0) {
        clock_expect(cpu);
    } else if ((run.graph || run.last) && call->target != call->next) {
        run_take(cpu);
        begins(cpu, call->target, NULL);
        plugin_unlock();
    }
}

/* All that most calls need is here, and the rest is noinline: no register has to be saved. */
__attribute__((flatten)) void run_call(unsigned cpu, uint64_t place, const struct code *call)
{
    cpus[cpu].calls += window_open();
    if (__builtin_expect(run.entries, 0))
        enter(cpu, place, call);
    else if (__builtin_expect(!follow_calls(cpu, place, call->ip, call->next, call->target), 0))
        call_anew(cpu, place, call);
}

__attribute__((noinline)) static void return_anew(unsigned cpu, uint64_t place, uint64_t ip)
{
    struct follow_returned returned;

    run_change(cpu);
    if (follow_return(cpu, place, &returned) && !ended) {
        if (run.returns)
            events_on_return(cpu, event_time(cpu), ip, &returned);
        if (returned.allocation)
            judges_return(cpu, returned.allocation);
    }
    run_changed(cpu);
}

void run_return(unsigned cpu, uint64_t place, uint64_t ip)
{
    if (__builtin_expect(run.returns || !follow_returns(cpu, place), 0)) {
        return_anew(cpu, place, ip);
    } else if (run.graph) {
        run_take(cpu);
        run_changed(cpu);
    } else if (run.trace) {
        trace_returned(cpu, ip);
    }
}

/* What the CPU stores on its way into a handler. */
static void store_frame(unsigned cpu, const struct run_interrupt *interrupt)
{
    struct store frame = {.time = clock_time(cpu),
                          .ip = interrupt->follow.entry,
                          .address = interrupt->stored_at,
                          .length = interrupt->stored,
                          .context = follow_context(cpu),
                          .thread = follow_thread(cpu),
                          .interrupt = interrupt->vector == RUN_VECTOR_UNKNOWN
                                           ? STORE_INTERRUPT_MOST
                                           : (uint32_t)interrupt->vector + 1};

    if (interrupt->stored)
        blame_on_frame(cpu, &frame);
}

void run_interrupt(unsigned cpu, const struct run_interrupt *interrupt)
{
    struct last_interrupt last = {interrupt->vector, interrupt->error};

    run_change(cpu);
    totals.interrupts += window_open();
    follow_interrupt(cpu, &interrupt->follow);
    if (run.entries)
        begins(cpu, interrupt->follow.entry, &last);
    if (run.trace && !ended)
        trace_change(cpu, true, interrupt->follow.entry, &last);
    if (!ended && blame_watch())
        store_frame(cpu, interrupt);
    if (!ended)
        events_on_interrupt(cpu, event_time(cpu), interrupt->follow.entry, interrupt->vector);
    if (!ended)
        judges_interrupt(cpu, interrupt);
    plugin_unlock();
}

void run_begins(unsigned cpu, uint64_t ip)
{
    run_change(cpu);
    if (follow_begin(cpu, ip))
        begins(cpu, ip, NULL);
    if (run.trace && !ended)
        trace_entered(cpu, ip);
    plugin_unlock();
}

uint64_t run_due(unsigned cpu, uint64_t time, uint64_t ip)
{
    uint64_t next = UINT64_MAX;

    if (run_take(cpu)) {
        if (run.chains)
            facts_settle(cpu);
        next = events_on_instructions(cpu, time, ip);
    }
    plugin_unlock();
    return next;
}

/* All CPUs are reset together, and firmware runs again before the kernel. */
void run_reset(unsigned first, void *own)
{
    (void)own;
    run_take(first);
    code_reset();
    judges_reset();
    if (run.trace && !ended)
        trace_cut();
    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++) {
        facts_reset(cpu);
        blame_flush(cpu);
    }
    plugin_unlock();
}

static uint64_t site_of(const void *own)
{
    return (uintptr_t)own;
}

static void end_if_stopped(void)
{
    if (__builtin_expect(!events_stopped(), 1))
        return;
    window_end(clock_sum());
    if (run.trace)
        trace_cut();
}

/*
 * `as_store`: what a store counts as, bits of enum wire_access. Of an atomic instruction, which
 * counts as both, QEMU may tell its operand in place of the value.
 */
__attribute__((noinline)) static void access_near(unsigned cpu, qemu_plugin_meminfo_t info,
                                                  uint64_t address, uint64_t ip, unsigned as_store)
{
    struct wire_sample sample = {.ip = ip,
                                 .address = address,
                                 .length = 1u << qemu_plugin_mem_size_shift(info),
                                 .access = qemu_plugin_mem_is_store(info) ? as_store : WIRE_READ};

    if (as_store == WIRE_WRITE)
        sample.valued = store_access_value(info, sample.length, &sample.value);
    if (run_take(cpu)) {
        sample.time = event_time(cpu);
        events_on_access(cpu, &sample);
        end_if_stopped();
    }
    plugin_unlock();
}

void run_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    if (__builtin_expect(events_are_near(address), 0))
        access_near(cpu, info, address, site_of(own), WIRE_WRITE);
}

/* With a thread per CPU, QEMU reports an atomic access once, as a store. */
void run_atomic(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    if (__builtin_expect(events_are_near(address), 0))
        access_near(cpu, info, address, site_of(own), WIRE_READ | WIRE_WRITE);
}

/* QEMU 7.2 also reports the read of a read-modify-write when only writes are requested. */
static void take_store(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, const void *own,
                       bool atomic)
{
    unsigned length = store_length(info);

    if (length == 0)
        return;
    if (run_take(cpu)) {
        struct store store = {.time = clock_time(cpu),
                              .ip = site_of(own),
                              .address = address,
                              .length = length,
                              .context = follow_context(cpu),
                              .thread = follow_thread(cpu),
                              .atomic = atomic,
                              .info = info};

        blame_on_store(cpu, &store);
    }
    plugin_unlock();
}

/* For most stores, so all that most of them need is here; the rest is noinline. */
__attribute__((flatten)) void run_store(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address,
                                        void *own)
{
    take_store(cpu, info, address, own, false);
}

void run_atomic_store(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    take_store(cpu, info, address, own, true);
}

/*
 * QEMU 7.2 also reports the frame of an interrupt right after a call that ends its block as stores
 * of the call. No other block has begun then.
 */
void run_call_store(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own)
{
    uint64_t time = clock_time(cpu);

    if (store_length(info) == 0 || cpus[cpu].call_stored == time)
        return;
    cpus[cpu].call_stored = time;
    take_store(cpu, info, address, own, false);
}

void run_function(unsigned cpu, void *own)
{
    if (run_take(cpu) && follow_enters(cpu, site_of(own))) {
        events_on_call(cpu, event_time(cpu), site_of(own));
        end_if_stopped();
    }
    plugin_unlock();
}

void run_sysret(unsigned cpu, void *own)
{
    (void)own;
    run_change(cpu);
    follow_sysret(cpu);
    run_changed(cpu);
}

void run_remap(unsigned cpu, void *own)
{
    (void)own;
    if (run_take(cpu))
        blame_flush(cpu);
    plugin_unlock();
}

void run_border(unsigned cpu, void *own)
{
    const struct code *border = own;

    if (run_take(cpu))
        window_cross(border->ip, clock_sum() - border->next);
    if (run.trace && !ended) {
        trace_cut();
        trace_change(cpu, false, 0, NULL);
        trace_entered(cpu, border->ip);
    }
    plugin_unlock();
}

void run_idle(unsigned cpu)
{
    if (run_take(cpu))
        writers_read(cpu, clock_sum());
    plugin_unlock();
}

void run_end(void)
{
    plugin_lock();
    ended = true;
    facts_end();
    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++) {
        uint64_t time;

        clock_find(cpu);
        time = clock_time(cpu);
        totals.instructions += time;
        totals.calls += cpus[cpu].calls;
        if (time)
            tell_number(WIRE_CLOCK, cpu, time);
        if (run.graph)
            graph_end(cpu, time);
        if (run.last && time)
            last_tell(cpu, clock_place(cpu), time, clock_expects(cpu));
    }
    if (code_has_run()) /* else all was a boot loader's, or another kernel's */
        totals.instructions += cover_tell();
    totals.blocks = code_blocks();
    totals.switches = follow_doubts().switches;
    totals.doubtful = follow_doubts().doubtful;
    blame_tell(clock_sum());
    judges_tell();
    totals.within = window_instructions(totals.instructions);
    events_tell(totals.within);
    totals.samples_left_out = window_left_out();
    if (run.graph)
        graph_tell();
    if (run.trace)
        trace_tell();
    tell_end(&totals);
    plugin_unlock();
}
