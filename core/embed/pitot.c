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
#include "core/breakpoint/breakpoint.h"
#include "core/embed/embed.h"
#include "core/event/event.h"
#include "core/event/source_clock.h"
#include "core/host.h"
#include "core/lib/number.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/recording/merge.h"
#include "core/stream/stream.h"

#define EVENTS_MAX   8
#define CLOCK_PERIOD 1000000 /* ns, without -c */
#define TICKS_TRIED  16      /* until one comes by an entry in `traps` */

/* EMBED_RING_SIZE: RING of lib.mk. */
static _Alignas(8) uint8_t ring_memory[ARCH_CPUS_MAX][EMBED_RING_SIZE];
static struct ring rings[ARCH_CPUS_MAX];
static struct event events[EVENTS_MAX];
static struct event_cpu event_cpus[EVENTS_MAX][ARCH_CPUS_MAX];
static struct recorded_event recorded[EVENTS_MAX];
static struct recorded_loss losses[ARCH_CPUS_MAX];
static struct ring_merge merge;
static struct refusal reason; /* the last reason returned to the kernel */

/* Parsed options of pitot_start. */
struct start_options {
    struct event_spec event[EVENTS_MAX];
    size_t count;
    uint64_t period; /* 0: not given */
    uint64_t pid;    /* 0: not given */
    bool chains;
};

static struct {
    size_t event_count;      /* events that record; 0: no recording */
    uint64_t doubtful;       /* doubtful hits of the last recording */
    uint32_t ticks, cramped; /* embed_ticks and embed_cramped when the recording began */
    unsigned long lapses;    /* lapses() then */
    struct start_options options;
} state;

/* Calls of pitot_tick that check the distances to trap entries. */
static unsigned untried = TICKS_TRIED;

/* What the last recording has and lacks, in words for the kernel's console. */
static struct {
    unsigned long long kept; /* records that the rings have */
    char lacks[400];
    size_t length;
} summary;

uint32_t embed_ticks, embed_cramped;
void (*embed_tick)(void);

/* --- The options of pitot_start. --- */

/* The current argument, with its NUL, and the start of the next. */
struct scanner {
    const char *at;
    char value[EVENT_NAME_SIZE + 1]; /* room to see that an event is too long */
};

/* Returns false at the end. Cuts an argument too long for an event, but leaves it too long. */
static bool next_argument(struct scanner *scanner)
{
    size_t length = 0;

    while (*scanner->at == ' ')
        scanner->at++;
    if (!*scanner->at)
        return false;
    for (; *scanner->at && *scanner->at != ' '; scanner->at++)
        if (length < EVENT_NAME_SIZE)
            scanner->value[length++] = *scanner->at;
    scanner->value[length] = '\0';
    return true;
}

static int read_number(const struct scanner *scanner, char letter, uint64_t most, uint64_t *number,
                       struct refusal *why)
{
    if (number_parse(scanner->value, most, number) && *number)
        return 0;
    return refuse(why, EINVAL, "-%c %s: a whole number, 1 or more", letter, scanner->value);
}

/* Spelt as for `perf record`. */
static int options_parse(const char *text, struct start_options *options, struct refusal *why)
{
    struct scanner scanner = {.at = text};
    int error = 0;

    *options = (struct start_options){.count = 0};
    while (!error && next_argument(&scanner)) {
        char letter =
            scanner.value[0] == '-' && scanner.value[1] && !scanner.value[2] ? scanner.value[1] : 0;

        if (letter == 'g')
            options->chains = true;
        else if (letter != 'e' && letter != 'c' && letter != 'p')
            error =
                refuse(why, EINVAL, "%s: -e EVENT, -c N, -p N and -g are allowed", scanner.value);
        else if (!next_argument(&scanner))
            error = refuse(why, EINVAL, "-%c needs an argument", letter);
        else if (letter == 'e' && options->count == EVENTS_MAX)
            error = refuse(why, EINVAL, "-e %s: up to %d events are allowed", scanner.value,
                           EVENTS_MAX);
        else if (letter == 'e')
            error = event_spec_parse(scanner.value, &options->event[options->count++], why);
        else if (letter == 'c')
            error = read_number(&scanner, letter, UINT64_MAX, &options->period, why);
        else
            error = read_number(&scanner, letter, UINT32_MAX, &options->pid, why);
    }
    if (!error && options->count == 0)
        error = refuse(why, EINVAL, "no event: -e SYSTEM:NAME or -e mem:ADDR is allowed");
    return error;
}

/* --- pitot_start. --- */

static int choose_chains(struct event_spec *spec, struct refusal *why)
{
    if (!host.stack)
        return refuse(why, ENOSYS, "-g: " EMBED_NO_STACK);
    if (!embed_tables && !spec->source->has_fields)
        return refuse(why, ENOSYS,
                      "-g: %s hits anywhere in a function, where frame pointers alone name wrong "
                      "callers: the tables are missing (pitot-tables)",
                      spec->name);
    if (!embed_tables && embed_traps_wrong())
        return refuse(why, EINVAL, "-g: %s", embed_traps_wrong());
    spec->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
    spec->chain.method = embed_tables ? UNWIND_BY_TABLE : UNWIND_BY_FRAME_POINTER;
    return 0;
}

/* -p is the process of a breakpoint in a program, and of other events the thread. */
static int choose_target(struct event_spec *spec, struct refusal *why)
{
    if (!spec->source->watches || !arch_of_programs(spec->attr.bp_addr)) {
        spec->pid = (uint32_t)state.options.pid;
        return 0;
    }
    spec->target.pid = (uint32_t)state.options.pid;
    if (spec->target.program || spec->target.pid)
        return 0;
    return refuse(why, EINVAL,
                  "%s: each program has its own memory at this address; name the program: "
                  "mem:/bin/PROGRAM:..., or -p PID",
                  spec->name);
}

static int check_traps(const struct event_spec *spec, struct refusal *why)
{
    const char *wrong = arch_embed_gate_take();
    unsigned cpu;

    if (!host.mapped)
        wrong = EMBED_NO_MAPPED;
    if (wrong)
        return refuse(why, ENOSYS, "%s: %s", spec->name, wrong);
    /* A CPU whose debug traps miss Pitot would crash at a hit. */
    wrong = arch_embed_try_cpus(&cpu);
    return wrong ? refuse(why, EIO, "CPU %u: %s", cpu, wrong) : 0;
}

static int begin_event(size_t i, struct refusal *why)
{
    struct event_spec *spec = &state.options.event[i];
    bool traps = spec->source->watches || spec->source->follows;
    int error = traps ? check_traps(spec, why) : 0;

    if (!error)
        error = choose_target(spec, why);
    if (spec->source->counts_time && !host.frame)
        error = refuse(why, ENOSYS, "%s: " EMBED_NO_FRAME, spec->name);
    spec->attr.sample_type = SAMPLE_ALWAYS | (spec->source->has_fields ? PERF_SAMPLE_RAW : 0);
    spec->attr.sample_id_all = 1;
    spec->attr.sample_period = state.options.period        ? state.options.period
                               : spec->source->counts_time ? CLOCK_PERIOD
                                                           : 1;
    if (!error && spec->attr.sample_period < spec->source->period_min)
        error = refuse(why, EINVAL, "%s: -c must be at least %llu", spec->name,
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

/* How often debug registers were found to be not as Pitot had set them, on all CPUs. */
static unsigned long lapses(void)
{
    unsigned long sum = 0;

    for (unsigned cpu = 0; cpu < ARCH_CPUS_MAX; cpu++)
        sum += pitot_lapses(cpu);
    return sum;
}

static void end_events(void)
{
    for (size_t i = 0; i < state.event_count; i++)
        event_disable(&events[i]);
}

/*
 * What lies below a stack that is too small would be overwritten in silence. Not inlined, as its
 * frame begins where the caller's ends.
 */
__attribute__((noinline)) enum embed_stack embed_stack_check(unsigned long bytes)
{
    unsigned long here = (unsigned long)__builtin_frame_address(0), low, high;

    if (!host.stack || !host.stack(here, &low, &high))
        return EMBED_STACK_UNKNOWN;
    return here - low < bytes ? EMBED_STACK_LESS : EMBED_STACK_ENOUGH;
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
    error = options_parse(options, &state.options, &reason);
    if (!error)
        error = embed_branches_check(state.options.event, state.options.count, state.options.chains,
                                     &reason);
    for (unsigned cpu = 0; !error && cpu < ARCH_CPUS_MAX; cpu++)
        error = ring_init(&rings[cpu], ring_memory[cpu], EMBED_RING_SIZE, RING_OVERWRITE, false,
                          &reason);
    for (size_t i = 0; !error && i < state.options.count; i++)
        error = begin_event(i, &reason);
    if (error) {
        end_events();
        state.event_count = 0;
        return reason.text;
    }
    state.ticks = embed_ticks;
    state.cramped = embed_cramped;
    state.lapses = lapses();
    embed_unreturned = false;
    for (size_t i = 0; i < state.event_count; i++)
        event_begin(&events[i], rings);
    return NULL;
}

/* --- pitot_stop. --- */

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

__attribute__((format(printf, 1, 2))) static void add_lack(const char *format, ...)
{
    char *text = summary.lacks;
    size_t size = sizeof(summary.lacks);
    va_list list;

    if (summary.length)
        summary.length += print_into(text + summary.length, size - summary.length, "; ");
    va_start(list, format);
    summary.length += print_list_into(text + summary.length, size - summary.length, format, list);
    va_end(list);
}

static void summarise(uint64_t kept)
{
    /* What is wrong with the trap entries, or NULL. */
    const char *entries =
        state.options.chains && !embed_tables ? embed_traps_wrong() : embed_frame_wrong();
    unsigned long long lost = 0;
    bool untimed = false, locked = false;

    for (unsigned cpu = 0; cpu < ARCH_CPUS_MAX; cpu++)
        lost += losses[cpu].dropped + losses[cpu].overwritten;
    for (size_t i = 0; i < state.event_count; i++) {
        const struct event_spec *spec = &events[i].spec;

        untimed |= spec->source->counts_time && embed_ticks == state.ticks;
        locked |= spec->source->watches && spec->attr.bp_type != HW_BREAKPOINT_X &&
                  arch_watch_miscounts_locked();
    }
    summary.kept = kept;
    summary.length = 0;
    if (lost)
        add_lack("%llu records are lost: RING of make lib is %d", lost, EMBED_RING_SIZE);
    if (state.doubtful)
        add_lack("%llu hits are left out, as they may be of another event%s", pitot_doubtful(),
                 embed_tables ? "" : ": tables tell, made by pitot-tables");
    if (untimed)
        add_lack("no samples by time: pitot_tick was not called");
    if (lapses() != state.lapses)
        add_lack(
            "hits are missing, as the debug registers were changed %lu time%s: does the kernel "
            "write them?",
            lapses() - state.lapses, print_plural(lapses() - state.lapses));
    if (embed_unreturned)
        add_lack(EMBED_NOT_RETURNED);
    if (embed_cramped != state.cramped)
        add_lack(EMBED_CRAMPED, embed_cramped - state.cramped, PITOT_SAMPLE_STACK);
    if (entries)
        add_lack("%s", entries);
    if (locked)
        add_lack("watches miscount xchg and locked instructions on this machine: start QEMU with "
                 "-accel tcg,thread=single");
}

unsigned long long pitot_stop(void)
{
    struct record_source source = {source_rewind, source_next, recorded, state.event_count};
    const struct recorded_task *tasks;
    uint64_t kept = 0, flags;
    size_t task_count;

    if (state.event_count == 0)
        return 0;
    flags = arch_irq_save();
    breakpoint_audit(arch_cpu_id()); /* others are compared at their last ticks */
    arch_irq_restore(flags);
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
    summarise(kept);
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
    embed_ticks++;
    if (embed_stack_check(PITOT_SAMPLE_STACK) == EMBED_STACK_LESS) {
        embed_cramped++;
        return;
    }
    regs = arch_embed_regs(frame);
    if (untried)
        untried = embed_traps_check(frame, &regs) ? 0 : untried - 1;
    embed_chain_try(&regs, embed_tables ? UNWIND_BY_TABLE : UNWIND_BY_FRAME_POINTER);
    if (!embed_frame_wrong())
        event_clock_interrupt(&regs, arch_clock_ns());
    event_tick();
    if (embed_tick)
        embed_tick();
}

unsigned long long pitot_doubtful(void)
{
    return state.doubtful;
}

const char *pitot_incomplete(void)
{
    return summary.length ? summary.lacks : NULL;
}

const char *pitot_summary(void)
{
    static char text[sizeof(summary.lacks) + 80];

    print_into(text, sizeof(text), "%llu records\n%llu doubtful hits\n%s%s%s", summary.kept,
               pitot_doubtful(), summary.length ? "incomplete: " : "",
               summary.length ? summary.lacks : "", summary.length ? "\n" : "");
    return text;
}
