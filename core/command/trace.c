/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The console's `perf trace`: a recording of raw_syscalls:sys_enter and sys_exit, of which the
 * calls are printed when it has ended. Task context.
 */
#include "core/command/trace.h"

#include "core/command/record.h"
#include "core/console/command.h"
#include "core/console/interruptible.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/recording/recording.h"
#include "core/stream/drain.h"
#include "core/trace/calls.h"
#include "core/trace/print.h"

#define WORDS_MAX 32

/* What `perf record` is told; it cuts some of its words up. */
struct trace_words {
    char record[8], option[4], events[48], raw[4];
    char *word[WORDS_MAX];
    int count;
};

static int refuse_call(const char *name, size_t length)
{
    const struct trace_call *call;

    print("perf trace: no system call \"%.*s\"; there are", (int)length, name);
    for (unsigned i = 0; (call = trace_call_at(i)) != NULL; i++)
        print("%s%s", i ? ", " : " ", call->name);
    print("\n");
    return -EINVAL;
}

/* NAME[,NAME]... */
static int parse_calls(const char *list, uint64_t *calls)
{
    for (;;) {
        const char *end = strchr(list, ',');
        size_t length = end ? (size_t)(end - list) : strlen(list);
        int call = trace_call_by_name(list, length);

        if (call < 0)
            return refuse_call(list, length);
        *calls |= 1ull << call;
        if (!end)
            return 0;
        list = end + 1;
    }
}

static int wrong_option(const char *word)
{
    print("perf trace: \"%s\" is not possible; there are -e CALL[,CALL], -s, -S, -p PID, -m SIZE, "
          "--overwrite, -- COMMAND\n",
          word);
    return -EINVAL;
}

static bool is_for_record(const char *option)
{
    return strcmp(option, "-p") == 0 || strcmp(option, "-m") == 0;
}

/* The options of its own are taken, others handed on; from the workload on all are. */
static int parse(int argc, char **argv, struct trace_options *options, struct trace_words *words)
{
    for (int i = 1; i < argc; i++) {
        bool valued = i + 1 < argc;
        int error = 0;

        if (strcmp(argv[i], "--") == 0 || argv[i][0] != '-') {
            while (i < argc && words->count < WORDS_MAX)
                words->word[words->count++] = argv[i++];
            return i < argc ? wrong_option(argv[i]) : 0;
        }
        if (strcmp(argv[i], "-s") == 0 || strcmp(argv[i], "-S") == 0) {
            options->lines = argv[i][1] == 'S';
            options->summary = true;
        } else if (strcmp(argv[i], "--overwrite") == 0) {
            words->word[words->count++] = argv[i];
        } else if (strcmp(argv[i], "-e") == 0 && valued) {
            error = parse_calls(argv[++i], &options->calls);
        } else if (is_for_record(argv[i]) && valued) {
            words->word[words->count++] = argv[i++];
            words->word[words->count++] = argv[i];
        } else {
            error = wrong_option(argv[i]);
        }
        if (error || words->count > WORDS_MAX - 2)
            return error ? error : wrong_option(argv[i]);
    }
    return 0;
}

static uint64_t first_id(void)
{
    const struct record_source *source = recording_source();

    return source ? source->events[0].id : 0;
}

int perf_trace(int argc, char **argv)
{
    struct trace_words words = {.record = "record",
                                .option = "-e",
                                .events = "raw_syscalls:sys_enter,raw_syscalls:sys_exit",
                                .raw = "-R",
                                .word = {words.record, words.option, words.events, words.raw},
                                .count = 4};
    struct trace_options options = {.lines = true};
    uint64_t before = first_id();
    struct interruptible records;
    int error = parse(argc, argv, &options, &words), status;

    if (error)
        return error;
    if (!options.calls)
        options.calls = UINT64_MAX;
    status = perf_record(words.count, words.word);
    if (first_id() == before) /* it was refused */
        return status;
    if (drain_given_back())
        print("perf trace: the first %llu records are in the stream only\n",
              (unsigned long long)drain_given_back());
    if (command_take_interrupt()) /* it ended the recording; the next one ends the text */
        status = -EINTR;
    records = interruptible_records(recording_source());
    if (trace_print(command_output(), &records.source, &options) == 0 && !command_interrupted())
        print("perf trace: no system calls\n");
    return command_interrupted() ? -EINTR : status;
}
