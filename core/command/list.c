/* SPDX-License-Identifier: BSD-2-Clause */
/* See list.h. Called by core/command/perf.c. */
#include "core/command/list.h"

#include <linux/errno.h>

#include "arch/arch.h"
#include "core/breakpoint/breakpoint.h"
#include "core/command/command.h"
#include "core/event/clock.h"
#include "core/lib/glob.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/symbols/symbols.h"
#include "core/tracepoint/format.h"

static void print_breakpoints(struct sink *sink)
{
    print_to(sink,
             "  mem:ADDR[/LEN][:ACCESS][:k]                        [Hardware breakpoint]\n"
             "      ADDR    0x..., a symbol, or symbol+offset: %zu symbols, TAB completes\n"
             "      LEN     bytes: 1 to 32, more than 8 spread over several registers;\n"
             "              default the symbol's size\n"
             "      ACCESS  w, rw, or x\n"
             "      several on the same bytes share a register; where a hit cannot be told to be\n"
             "      whose, `perf stat` and `perf record` say \"not exact\", and by how many\n"
             "      what a hit did to the bytes, and which instruction: breakpoint:hit\n"
             "  mem:/PROGRAM:ADDR[/LEN][:ACCESS][:u]               the same in a program, by its "
             "symbols\n"
             "  5:ADDR      the same, rw and one byte\n\n",
             symbols_count());
}

static void print_clock(struct sink *sink)
{
    print_to(sink,
             "  cpu-clock[:u|:k]                                   [Software event]\n"
             "      time, in ns: -F up to %d samples a second, -c from %d ns on;\n",
             EVENT_CLOCK_HERTZ_MAX, EVENT_CLOCK_PERIOD_MIN);
    if (event_clock_blind())
        print_to(sink, "      by the timer, blind where interrupts are off: %s\n\n",
                 event_clock_blind());
    else
        print_to(sink, "      by NMI: where interrupts are off, too\n\n");
}

static void print_branches(struct sink *sink)
{
    print_to(
        sink,
        "  branches[:k|:u] OR branch-instructions             [Hardware event, by single "
        "steps]\n"
        "      where the command's thread jumps, calls and returns to, from => to; of a program "
        "in user mode;\n"
        "      branches/window=N/ ends after N instructions, --start mem:... opens it at each "
        "hit\n\n");
}

static void print_tracepoint(struct sink *sink, const struct tracepoint *tracepoint)
{
    print_to(sink, "  %-30s", tracepoint->full_name);
    for (unsigned f = 0; f < tracepoint->field_count; f++)
        print_to(sink, "%s %s %s%s", f ? "," : "", tracepoint_type_name(&tracepoint->field[f]),
                 tracepoint->field[f].name,
                 tracepoint->field[f].kind == TRACEPOINT_text ? "[]" : "");
    print_to(sink, "\n");
}

/* The events that are no tracepoints, by the names that a pattern may match. */
static const struct {
    const char *name;
    void (*print)(struct sink *sink);
} others[] = {
    {"mem:", print_breakpoints}, {"cpu-clock", print_clock}, {"branches", print_branches}};

static void list_all(struct sink *sink)
{
    const struct tracepoint *tracepoint = NULL;

    print_to(sink, "\nList of events (to be used in -e):\n\n");
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        others[i].print(sink);
    print_to(sink, "  SYSTEM:NAME                                        [Tracepoint event]\n"
                   "      with * and ? for each that matches; --filter knows the fields\n");
    while ((tracepoint = tracepoint_after(tracepoint)) != NULL)
        print_tracepoint(sink, tracepoint);
    print_to(sink, "  %llu hits came inside the recording of another, and were counted only\n\n",
             (unsigned long long)tracepoint_nested());
    print_to(sink, "debug registers:\n");
    breakpoint_print(sink);
    print_to(sink, "  %llu debug traps came from disarmed registers alone\n\n",
             (unsigned long long)arch_watch_spurious());
}

/* As in perf, a word without * and ? matches wherever it stands in a name. */
static bool matches(const char *word, const char *name)
{
    size_t length = strlen(word);

    if (glob_is_pattern(word))
        return glob_match(word, name);
    for (; *name != '\0'; name++)
        if (strncmp(word, name, length) == 0)
            return true;
    return false;
}

static int list_matching(struct sink *sink, const char *word)
{
    const struct tracepoint *tracepoint = NULL;
    bool any = false;

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (!matches(word, others[i].name))
            continue;
        others[i].print(sink);
        any = true;
    }
    while ((tracepoint = tracepoint_after(tracepoint)) != NULL) {
        if (!matches(word, tracepoint->full_name))
            continue;
        print_tracepoint(sink, tracepoint);
        any = true;
    }
    if (any)
        return 0;
    print("perf list: no event matches \"%s\"; `perf list` has them all\n", word);
    return -ENOENT;
}

int perf_list(int argc, char **argv)
{
    struct sink *sink = command_output();
    int error = 0;

    if (argc == 1)
        list_all(sink);
    for (int i = 1; !error && i < argc; i++)
        error = list_matching(sink, argv[i]);
    return command_interrupted() ? -EINTR : error;
}
