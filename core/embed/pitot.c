/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Recording in another kernel: the rings keep the newest records, and pitot_stop writes them in
 * perf's pipe format. Task context, one caller at a time; pitot_tick in the timer interrupt.
 */
#include <linux/hw_breakpoint.h>

#include "arch/cpu.h"
#include "arch/embed.h"
#include "arch/memory.h"
#include "arch/watch.h"
#include "core/contract/init.h"
#include "core/embed/embed.h"
#include "core/event/source_clock.h"
#include "core/host.h"
#include "core/lib/assert.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/recording/merge.h"
#include "core/stream/stream.h"
#include "core/symbols/symbols.h"

#define CLOCK_PERIOD 1000000 /* ns, without -c */
#define TICKS_TRIED  16      /* until one comes by an entry in `traps` */

/* EMBED_RING_SIZE: RING of lib.mk. */
static _Alignas(8) uint8_t ring_memory[ARCH_CPUS_MAX][EMBED_RING_SIZE];
static struct ring rings[ARCH_CPUS_MAX];
static struct event events[EMBED_EVENTS_MAX];
static struct event_cpu event_cpus[EMBED_EVENTS_MAX][ARCH_CPUS_MAX];
static struct recorded_event recorded[EMBED_EVENTS_MAX];
static struct recorded_loss losses[ARCH_CPUS_MAX];
static struct ring_merge merge;
static struct refusal reason; /* the last reason returned to the kernel */

static struct {
    bool tables;        /* symbols and chains by table are available */
    size_t event_count; /* events that record; 0: no recording */
    uint64_t doubtful;  /* doubtful hits of the last recording */
    uint32_t ticks;     /* embed_ticks when the recording began */
    unsigned untried;   /* calls of pitot_tick that check the distances to trap entries */
    struct embed_options options;
} state;

uint32_t embed_ticks;
void (*embed_tick)(void);

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    char text[120];

    print_into(text, sizeof(text), "Pitot: %s:%d: %s", file, line, claim);
    host_panic(text);
}

static void write_stream(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    host.write(bytes, length);
}

/*
 * perf compares the address of one symbol with that in the ELF file. This is pitot_init, because
 * the text's first byte may have no symbol.
 */
static void begin_stream(void)
{
    static struct sink sink = {write_stream};
    static struct stream_kernel described;

    described = (struct stream_kernel){.arch = ARCH_NAME,
                                       .build_id = arch_embed_build_id(),
                                       .text = arch_text_start(),
                                       .text_size = arch_text_end() - arch_text_start(),
                                       .known = "pitot_init",
                                       .known_at = (uintptr_t)pitot_init};
    embed_stream_open(&sink, &described);
}

/* Returns what is wrong with the tables, or NULL. Without tables, chains use frame pointers. */
static const char *open_tables(void)
{
    struct refusal none;

    state.tables = arch_embed_has_tables();
    if (!state.tables) {
        unwind_init(&none);
        return NULL;
    }
    if (symbols_init(arch_build_id(), ARCH_BUILD_ID_SIZE, &reason) || unwind_init(&reason))
        return reason.text;
    return arch_accessor_init();
}

/* Of cfi_call_trap (cfi_gas.inc); a kernel may have none. */
extern const void *const __start_pitot_traps[] __attribute__((weak));
extern const void *const __stop_pitot_traps[] __attribute__((weak));

/* In an object for more CPUs. */
static unsigned only_cpu(void)
{
    return 0;
}

const char *init_missing(const struct pitot_kernel *kernel)
{
    unsigned cpus = ARCH_CPUS_MAX > 1 && kernel->cpus ? kernel->cpus : ARCH_CPUS_MAX;

    if (EMBED_ASKS_MEMBERS && !kernel->clock)
        return "clock of struct pitot_kernel is 0";
    if (!kernel->write)
        return "write of struct pitot_kernel is 0";
    if (EMBED_ASKS_MEMBERS && cpus > 1 && !kernel->cpu)
        return "more than one CPU: cpu of struct pitot_kernel is 0";
    if (cpus > 1 && !kernel->interrupt_others)
        return "more than one CPU: interrupt_others of struct pitot_kernel is 0";
    if (kernel->trap_count && !kernel->traps)
        return "traps of struct pitot_kernel is 0, and trap_count is not";
    if (kernel->trap_count && !kernel->frame)
        return "traps: " EMBED_NO_FRAME;
    if ((uintptr_t)kernel->programs >= (uintptr_t)kernel->programs_end && kernel->programs)
        return "programs of struct pitot_kernel is not below programs_end";
    if ((uintptr_t)kernel->programs_end > (uintptr_t)kernel->text)
        return "programs_end of struct pitot_kernel is above the kernel's code";
    return NULL;
}

/* What the kernel leaves to Pitot. */
static void give_rest(void)
{
    if (!host.traps && host.frame) {
        host.traps = __start_pitot_traps;
        host.trap_count =
            (unsigned)(((uintptr_t)__stop_pitot_traps - (uintptr_t)__start_pitot_traps) /
                       sizeof(*__start_pitot_traps));
    }
    embed_check_begin();
    embed_console_give();
    if (!host.cpu)
        host.cpu = only_cpu;
    if (!host.task_name)
        host.task_name = embed_task_name;
}

const struct regs *init_regs(const void *frame, struct regs *room)
{
    *room = arch_embed_regs(frame);
    return room;
}

const char *init_parts(void)
{
    const char *wrong;

    give_rest();
    wrong = arch_embed_frame_init();
    if (wrong)
        return wrong;
    if (embed_tracepoints_init(&reason) != 0)
        return reason.text;
    wrong = open_tables();
    if (wrong)
        return wrong;
    arch_embed_init(); /* until now pitot_debug_trap does nothing */
    nmi_clock_missing("the kernel's timer is an interrupt");
    pitot_thread_named(0, host.name ? host.name : "kernel");
    begin_stream();
    state.untried = TICKS_TRIED;
    return NULL;
}

static int choose_chains(struct event_spec *spec, struct refusal *why)
{
    if (!host.stack)
        return refuse(why, ENOSYS, "-g: " EMBED_NO_STACK);
    if (!state.tables && !spec->source->has_fields)
        return refuse(why, ENOSYS,
                      "-g: %s hits anywhere in a function, where frame pointers alone name wrong "
                      "callers: the tables are missing (pitot-tables)",
                      spec->name);
    if (!state.tables && embed_traps_wrong())
        return refuse(why, EINVAL, "-g: %s", embed_traps_wrong());
    spec->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
    spec->chain.method = state.tables ? UNWIND_BY_TABLE : UNWIND_BY_FRAME_POINTER;
    return 0;
}

static int check_breakpoints(const struct event_spec *spec, struct refusal *why)
{
    const char *wrong = arch_embed_gate_take();

    if (!host.mapped)
        wrong = EMBED_NO_MAPPED;
    return wrong ? refuse(why, ENOSYS, "%s: %s", spec->name, wrong) : 0;
}

/* A CPU whose debug traps miss Pitot would crash at a hit. */
static int check_cpus(struct refusal *why)
{
    const char *wrong = NULL;
    unsigned cpu;

    for (size_t i = 0; i < state.options.count; i++)
        if (state.options.event[i].source->watches && !wrong)
            wrong = arch_embed_gates_wrong(&cpu);
    return wrong ? refuse(why, EIO, "CPU %u: %s", cpu, wrong) : 0;
}

static int begin_event(size_t i, struct refusal *why)
{
    struct event_spec *spec = &state.options.event[i];
    int error = spec->source->watches ? check_breakpoints(spec, why) : 0;

    if (spec->source->counts_time && !host.frame)
        error = refuse(why, ENOSYS, "%s: " EMBED_NO_FRAME, spec->name);
    spec->attr.sample_type = SAMPLE_ALWAYS | (spec->source->has_fields ? PERF_SAMPLE_RAW : 0);
    spec->attr.sample_id_all = 1;
    spec->attr.sample_period = state.options.period        ? state.options.period
                               : spec->source->counts_time ? CLOCK_PERIOD
                                                           : 1;
    if (!error && spec->attr.sample_period < spec->source->period_min)
        error = refuse(why, EINVAL, "%s: -c from %llu on", spec->name,
                       (unsigned long long)spec->source->period_min);
    if (!error && state.options.chains)
        error = choose_chains(spec, why);
    if (error)
        return error;
    memset(event_cpus[i], 0, sizeof(event_cpus[i]));
    event_init(&events[i], spec, event_cpus[i]);
    error = event_enable(&events[i], why);
    if (!error)
        state.event_count++;
    return error;
}

static void end_events(void)
{
    for (size_t i = 0; i < state.event_count; i++)
        event_disable(&events[i]);
}

const char *pitot_start(const char *options)
{
    int error;

    if (!host_ready)
        return "pitot_init must succeed first";
    if (state.event_count > 0)
        return "a recording is under way: pitot_stop ends it";
    if (embed_stack_check(PITOT_START_STACK) == EMBED_STACK_LESS)
        return EMBED_STACK_SHORT(pitot_start, PITOT_START_STACK);
    error = embed_options_parse(options, &state.options, &reason);
    for (unsigned cpu = 0; !error && cpu < ARCH_CPUS_MAX; cpu++)
        error = ring_init(&rings[cpu], ring_memory[cpu], EMBED_RING_SIZE, RING_OVERWRITE, false,
                          &reason);
    for (size_t i = 0; !error && i < state.options.count; i++)
        error = begin_event(i, &reason);
    if (!error)
        error = check_cpus(&reason);
    if (error) {
        end_events();
        state.event_count = 0;
        return reason.text;
    }
    state.ticks = embed_ticks;
    for (size_t i = 0; i < state.event_count; i++)
        event_begin(&events[i], rings);
    return NULL;
}

static void source_rewind(struct record_source *source)
{
    (void)source;
    ring_merge_start(&merge, rings, ARCH_CPUS_MAX);
}

static const struct perf_event_header *source_next(struct record_source *source)
{
    (void)source;
    return ring_merge_next(&merge);
}

static void note_missing(uint64_t kept)
{
    struct embed_missing missing = {
        .kept = kept, .doubtful = state.doubtful, .tables = state.tables};

    for (unsigned cpu = 0; cpu < ARCH_CPUS_MAX; cpu++)
        missing.records += losses[cpu].dropped + losses[cpu].overwritten;
    for (size_t i = 0; i < state.event_count; i++) {
        const struct event_spec *spec = &events[i].spec;

        missing.ticks |= spec->source->counts_time && embed_ticks == state.ticks;
        missing.locked |= spec->source->watches && spec->attr.bp_type != HW_BREAKPOINT_X &&
                          arch_watch_miscounts_locked();
    }
    missing.entries =
        state.options.chains && !state.tables ? embed_traps_wrong() : embed_frame_wrong();
    embed_incomplete_set(&missing);
}

unsigned long long pitot_stop(void)
{
    struct record_source source = {source_rewind, source_next, recorded, state.event_count};
    uint64_t kept = 0;
    const struct recorded_task *tasks;
    size_t task_count;

    if (state.event_count == 0)
        return 0;
    end_events();
    state.doubtful = 0;
    for (size_t i = 0; i < state.event_count; i++) {
        event_sum(&events[i]);
        recorded[i] = events[i].recorded;
        state.doubtful += recorded[i].doubtful;
    }
    for (unsigned cpu = 0; cpu < ARCH_CPUS_MAX; cpu++) {
        const struct ring *ring = &rings[cpu];

        losses[cpu] = (struct recorded_loss){cpu, ring->dropped, ring->overwritten};
        kept += ring->produced - ring->dropped - ring->overwritten;
    }
    note_missing(kept);
    tasks = embed_threads(&task_count);
    stream_write_recording(embed_stream(), &source, tasks, task_count, losses, ARCH_CPUS_MAX,
                           arch_clock_ns());
    state.event_count = 0;
    return kept;
}

void pitot_tick(const void *frame)
{
    struct regs regs;

    if (!host_ready || !host.frame)
        return;
    regs = arch_embed_regs(frame);
    embed_ticks++;
    if (state.untried)
        state.untried = embed_traps_check(frame, &regs) ? 0 : state.untried - 1;
    embed_chain_try(&regs, state.tables ? UNWIND_BY_TABLE : UNWIND_BY_FRAME_POINTER);
    if (!embed_frame_wrong())
        event_clock_interrupt(&regs, arch_clock_ns());
    if (embed_tick)
        embed_tick();
}

unsigned long long pitot_doubtful(void)
{
    return state.doubtful;
}
