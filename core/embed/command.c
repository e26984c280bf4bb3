/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Console commands in another kernel, its own and `perf`, and what they need that the kernel may
 * leave to Pitot. Task context, one caller at a time; task names in any context.
 */
#include <linux/errno.h>

#include "arch/cpu.h"
#include "arch/embed.h"
#include "core/console/command.h"
#include "core/embed/embed.h"
#include "core/host.h"
#include "core/lib/arguments.h"
#include "core/lib/assert.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/perf/commands.h"
#include "core/recording/recording.h"
#include "core/stream/drain.h"
#include "core/task.h"

#define LINE_SIZE 512
#define PAGE_SIZE 4096
#define PAGES     (EMBED_MEMORY / PAGE_SIZE) /* MEMORY of lib.mk */

/* --- Memory, first-fit, because allocations are few. --- */

static _Alignas(PAGE_SIZE) uint8_t memory[PAGES][PAGE_SIZE];
static bool taken[PAGES];

static size_t pages_of(size_t bytes)
{
    return (bytes + PAGE_SIZE - 1) / PAGE_SIZE;
}

static void *memory_take(unsigned long bytes, const char **why)
{
    static struct refusal reason;
    size_t most = 0, pages = pages_of(bytes);

    for (size_t first = 0, end = 0; first < PAGES; first = ++end) {
        while (end < PAGES && !taken[end])
            end++;
        if (end - first > most)
            most = end - first;
        if (pages > end - first)
            continue;
        memset(&taken[first], true, pages);
        return memset(memory[first], 0, pages * PAGE_SIZE);
    }
    refuse(&reason, ENOMEM, "%zu bytes are free in one piece: MEMORY of make lib is %d",
           most * PAGE_SIZE, EMBED_MEMORY);
    *why = reason.text;
    return NULL;
}

static void memory_give(void *from, unsigned long bytes)
{
    size_t first = (size_t)((uint8_t *)from - memory[0]) / PAGE_SIZE;

    for (size_t page = first; page < first + pages_of(bytes); page++) {
        assert(page < PAGES && taken[page]);
        taken[page] = false;
    }
}

/* --- The console. --- */

static void console_write(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    host.print(bytes, length);
}

static struct sink console = {console_write};

/* --- Threads. --- */

static enum pitot_task task_find(unsigned pid)
{
    return embed_thread_name(pid) ? PITOT_TASK_OF_KERNEL : PITOT_TASK_NONE;
}

static void thread_named(uint32_t pid, const char *name)
{
    recording_task_named(pid, name, false);
}

static void tasks_tell(void)
{
    size_t count;
    const struct recorded_task *tasks = embed_threads(&count);

    for (size_t i = 0; i < count; i++)
        pitot_thread_lived(tasks[i].tid, tasks[i].comm);
}

static void words_tell(enum pitot_words which)
{
    size_t count;
    const struct recorded_task *tasks = embed_threads(&count);
    char pid[sizeof("4294967295")];

    for (size_t i = 0; which == PITOT_WORDS_THREADS && i < count; i++) {
        print_into(pid, sizeof(pid), "%u", tasks[i].tid);
        if (tasks[i].tid != 0)
            pitot_word(pid);
    }
}

static void console_init(void)
{
    embed_named = thread_named;
    recording_init();
    if (host.thread_start && host.wait && host.wake) {
        drain_init();
        embed_tick = session_tick;
    }
}

/* --- The stream, which pitot_start and commands share; in place of stream.c. --- */

static struct sink *stream_to;
static uint64_t stream_left; /* bytes sent through the port */

static void port_write(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    stream_to->write(stream_to, bytes, length);
    stream_left += length;
}

struct stream *embed_stream_open(struct sink *sink, const struct stream_kernel *kernel)
{
    static struct sink port = {port_write};

    stream_to = sink;
    stream_port_describe(kernel);
    stream_port_set(&port, &stream_left);
    return stream_port();
}

/* Turns compression off: `perf record -z` applies only to its own recording. */
struct stream *embed_stream(void)
{
    struct stream *stream = stream_port();

    stream->compress = false;
    return stream;
}

/* --- Commands. --- */

/* Returns what a recording lacks, or NULL. Stores the CPU at fault in *cpu, or ARCH_NO_CPU. */
static const char *lacking(unsigned *cpu)
{
    *cpu = ARCH_NO_CPU;
    if (!arch_embed_has_tables())
        return "the tables are missing (pitot-tables)";
    if (!host.stack)
        return EMBED_NO_STACK;
    if (!host.mapped)
        return EMBED_NO_MAPPED;
    return arch_embed_try_cpus(cpu);
}

static int check_kernel(void)
{
    unsigned cpu;
    const char *reason = lacking(&cpu);

    if (!reason)
        return 0;
    if (cpu != ARCH_NO_CPU)
        print("pitot: CPU %u: %s\n", cpu, reason);
    else
        print("pitot: %s\n", reason);
    return -ENOSYS;
}

static int check_stack(void)
{
    static const char less[] = "pitot: " EMBED_STACK_SHORT(pitot_command, PITOT_COMMAND_STACK) "\n";
    static const char unknown[] =
        "pitot: `stack` of struct pitot_kernel does not know the stack of pitot_command\n";
    enum embed_stack stack = embed_stack_check(PITOT_COMMAND_STACK);

    /* Without `stack`, check_kernel refuses. */
    if (stack == EMBED_STACK_ENOUGH || !host.stack)
        return 0;
    if (stack == EMBED_STACK_LESS)
        print_console()->write(print_console(), less, sizeof(less) - 1);
    else
        print_console()->write(print_console(), unknown, sizeof(unknown) - 1);
    return -ENOMEM;
}

/*
 * Initialised on first use; commands are refused until it succeeds. The stack comes first, as the
 * other checks need it.
 */
static int begin(void)
{
    static bool begun;
    int error = check_stack();

    if (!error && !begun)
        error = check_kernel();
    if (!error && !begun)
        console_init();
    begun |= !error;
    return error;
}

/* A recording by time without ticks has no samples, and looks as if nothing had run. */
static void tell_ticks(uint32_t ticks, uint32_t cramped)
{
    const struct record_source *source = recording_source();
    bool by_time = false;

    for (size_t i = 0; i < source->event_count; i++)
        by_time |= source->events[i].attr.type == PERF_TYPE_SOFTWARE;
    if (by_time && embed_ticks == ticks)
        print("pitot: no samples by time: pitot_tick was not called\n");
    if (embed_cramped != cramped)
        print("pitot: " EMBED_CRAMPED "\n", embed_cramped - cramped, PITOT_SAMPLE_STACK);
}

static int run(int argc, char **argv)
{
    uint32_t ticks = embed_ticks, cramped = embed_cramped;
    bool of_perf = argc > 1 && strcmp(argv[0], "perf") == 0;
    int status;

    if (of_perf)
        embed_unreturned = false;
    status = command_run_words(argc, argv);
    if (!status && of_perf && strcmp(argv[1], "record") == 0)
        tell_ticks(ticks, cramped);
    if (of_perf && embed_unreturned)
        print("pitot: " EMBED_NOT_RETURNED "\n");
    return status;
}

/* After a success, pitot_commands_release follows. */
static int enter(void)
{
    static const char early[] = "pitot: pitot_init must succeed first\n";
    const char *owner;
    int error;

    if (!host.print)
        return -ENOSYS;
    if (!host_ready) {
        host.print(early, sizeof(early) - 1);
        return -ENOSYS;
    }
    owner = pitot_commands_claim();
    if (owner) {
        print("pitot: %s is running a command: let it end first\n", owner);
        return -EBUSY;
    }
    error = begin();
    if (error)
        pitot_commands_release();
    return error;
}

static int run_words(int argc, char **argv)
{
    int error = enter();

    if (error)
        return error;
    error = run(argc, argv);
    pitot_commands_release();
    return error;
}

/* Not inlined, so that pitot_command itself takes little of a small stack. */
__attribute__((noinline)) static int run_line(const char *line)
{
    static struct refusal why;
    char text[LINE_SIZE];
    struct arguments arguments;
    size_t length = strlen(line);
    int error = 0;

    if (length >= sizeof(text))
        error = refuse(&why, E2BIG, "a line may have up to %d characters", LINE_SIZE - 1);
    if (!error) {
        memcpy(text, line, length + 1);
        error = arguments_split(text, &arguments, &why);
    }
    if (error) {
        print("pitot: %s\n", why.text);
        return error;
    }
    return arguments.count > 0 ? run(arguments.count, arguments.value) : 0;
}

int pitot_command(const char *line)
{
    int error = enter();

    if (error)
        return error;
    error = run_line(line);
    pitot_commands_release();
    return error;
}

/* --- At boot. --- */

void embed_console_give(void)
{
    if (!host.memory_take) {
        host.memory_take = memory_take;
        host.memory_give = memory_give;
    }
    if (!host.task_find && !host.tasks_tell)
        host.task_find = task_find;
    if (!host.tasks_tell)
        host.tasks_tell = tasks_tell;
    if (!host.words_tell)
        host.words_tell = words_tell;
    if (!host.command && host.print)
        host.command = pitot_command;
    if (host.print)
        print_set_console(&console);
    command_around = run_words;
}
