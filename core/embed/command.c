/* SPDX-License-Identifier: BSD-2-Clause */
/* Console commands in another kernel: its own and `perf`. Task context, one caller at a time. */
#include <linux/errno.h>

#include "arch/cpu.h"
#include "arch/embed.h"
#include "core/console/command.h"
#include "core/embed/embed.h"
#include "core/host.h"
#include "core/lib/arguments.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/pitot.h"
#include "core/recording/recording.h"

#define LINE_SIZE 512

static void print_write(struct sink *sink, const char *bytes, size_t length)
{
    (void)sink;
    host.print(bytes, length);
}

/* Returns what a recording lacks, or NULL. Stores the CPU at fault in *cpu, or ARCH_NO_CPU. */
static const char *lacking(unsigned *cpu)
{
    *cpu = ARCH_NO_CPU;
    if (!host_ready)
        return "pitot_init must succeed first";
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
    static struct sink sink = {print_write};
    unsigned cpu;
    const char *reason;

    print_set_console(&sink);
    reason = lacking(&cpu);
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
    static const char words[] =
        "pitot: " EMBED_STACK_SHORT(pitot_command, PITOT_COMMAND_STACK) "\n";
    static const char unknown[] =
        "pitot: `stack` of struct pitot_kernel does not know the stack of pitot_command\n";
    enum embed_stack stack = embed_stack_check(PITOT_COMMAND_STACK);

    /* Without `stack`, check_kernel refuses. */
    if (stack == EMBED_STACK_ENOUGH || !host.stack)
        return 0;
    if (stack == EMBED_STACK_LESS)
        host.print(words, sizeof(words) - 1);
    else
        host.print(unknown, sizeof(unknown) - 1);
    return -ENOMEM;
}

/*
 * Initialised on first use; commands are refused until it succeeds. The stack comes first, as the
 * other checks need it.
 */
static int begin(void)
{
    static bool begun;
    int error = host.print ? check_stack() : -ENOSYS;

    if (!error && !begun)
        error = check_kernel();
    if (!error && !begun)
        embed_console_init();
    begun |= !error;
    return error;
}

/* A recording by time without ticks has no samples, and looks as if nothing had run. */
static void tell_no_ticks(uint32_t before)
{
    const struct record_source *source = recording_source();
    bool by_time = false;

    for (size_t i = 0; i < source->event_count; i++)
        by_time |= source->events[i].attr.type == PERF_TYPE_SOFTWARE;
    if (by_time && embed_ticks == before)
        print("pitot: no samples by time: pitot_tick was not called\n");
}

static int run(struct arguments *arguments)
{
    uint32_t before = embed_ticks;
    int status = pitot_run_words(arguments->count, arguments->value);

    if (!status && arguments->count > 1 && strcmp(arguments->value[0], "perf") == 0 &&
        strcmp(arguments->value[1], "record") == 0)
        tell_no_ticks(before);
    return status;
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
    return arguments.count > 0 ? run(&arguments) : 0;
}

int pitot_command(const char *line)
{
    int error = begin();

    return error ? error : run_line(line);
}
