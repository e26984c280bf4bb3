/* SPDX-License-Identifier: BSD-2-Clause */
/* The console's `perf`: which part of it is asked for, and the parts that only read. Task context. */
#include "core/console/command.h"
#include "core/memory/pages.h"
#include "core/perf/perf_record.h"
#include "core/perf/recording.h"
#include "core/perf/report.h"
#include "core/perf/script.h"
#include "core/print.h"
#include "core/refusal.h"
#include "core/string.h"
#include "core/symbols.h"

/* What a report works in: as much as there is, from this down. */
#define REPORT_PAGES_MOST  4096
#define REPORT_PAGES_LEAST 16

static int wrong(const char *part, const char *word, const char *right)
{
    print("perf %s: unknown option \"%s\"; there are %s\n", part, word, right);
    return -EINVAL;
}

static struct record_source *last_recording(const char *part)
{
    struct record_source *source = recording_source();

    if (!source)
        print("perf %s: nothing is recorded; `perf record -e EVENT -- COMMAND` does that\n", part);
    return source;
}

/* "caller", "callee", and with perf's further fields: "caller,0". */
static bool parse_order(const char *word, bool *caller)
{
    if (strncmp(word, "caller", 6) != 0 && strncmp(word, "callee", 6) != 0)
        return false;
    *caller = word[5] == 'r';
    return word[6] == '\0' || strcmp(word + 6, ",0") == 0;
}

static int parse_report(int argc, char **argv, struct report_options *options)
{
    static const char right[] = "-g caller|callee|none, -s sym, --stdio, --no-children";

    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";

        if (strcmp(argv[i], "--stdio") == 0 || strcmp(argv[i], "--no-children") == 0 ||
            strcmp(argv[i], "--no-inline") == 0)
            continue;
        if (strcmp(argv[i], "-s") == 0 && (strcmp(value, "sym") == 0 || strcmp(value, "s") == 0)) {
            i++;
        } else if (strcmp(argv[i], "-g") == 0 && strcmp(value, "none") == 0) {
            options->callgraph = false;
            i++;
        } else if (strcmp(argv[i], "-g") == 0 && parse_order(value, &options->caller)) {
            i++;
        } else {
            return wrong("report", argv[i], right);
        }
    }
    return 0;
}

static int perf_report(int argc, char **argv)
{
    struct report_options options = {.callgraph = true, .caller = false};
    struct record_source *source = last_recording("report");
    size_t pages = REPORT_PAGES_MOST;
    void *memory;
    int error;

    if (!source)
        return -ENODATA;
    error = parse_report(argc, argv, &options);
    if (error)
        return error;
    while (!(memory = pages_alloc(pages)) && pages > REPORT_PAGES_LEAST)
        pages /= 2;
    if (!memory) {
        print("perf report: no memory to work in\n");
        return -ENOMEM;
    }
    error = report_print(print_console(), source, &options, memory, pages * PAGE_SIZE);
    pages_free(memory, pages);
    return error;
}

static int perf_script(int argc, char **argv)
{
    struct script_options options = {.registers = false};
    struct record_source *source = last_recording("script");

    if (!source)
        return -ENODATA;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-F") != 0 || i + 1 == argc || strcmp(argv[i + 1], "+iregs") != 0)
            return wrong("script", argv[i], "-F +iregs");
        options.registers = true;
        i++;
    }
    if (script_print(print_console(), source, &options) == 0)
        print("perf script: the recording has no samples\n");
    return 0;
}

static int perf_list(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    print("\nList of events (to be used in -e):\n\n"
          "  mem:ADDR[/LEN][:ACCESS][:k]                        [Hardware breakpoint]\n"
          "      ADDR    0x..., a symbol, or symbol+offset: %zu symbols, TAB completes\n"
          "      LEN     bytes: 1 to 32, more than 8 spread over several registers;\n"
          "              default the symbol's size\n"
          "      ACCESS  w, rw, or x\n"
          "  5:ADDR      the same, rw and one byte\n\n"
          "debug registers:\n",
          symbols_count());
    breakpoint_print(print_console());
    print("\n");
    return 0;
}

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} parts[] = {
    {"list", perf_list},     {"record", perf_record}, {"report", perf_report},
    {"script", perf_script}, {"stat", perf_stat},
};

static int perf_run(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof(parts) / sizeof(parts[0]); i++)
        if (strcmp(argv[1], parts[i].name) == 0)
            return parts[i].run(argc - 1, argv + 1);
    if (argc > 1)
        print("perf: \"%s\" is not a perf command; there are list, record, report, script, stat\n",
              argv[1]);
    else
        print("usage: perf list | record | report | script | stat\n");
    return -EINVAL;
}

COMMAND(perf_command) = {
    .name = "perf",
    .usage = "list | record | report | script | stat",
    .summary = "record and read hits of hardware breakpoints",
    .run = perf_run,
};
