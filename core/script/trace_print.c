/* SPDX-License-Identifier: BSD-2-Clause */
/* See trace_calls.h. A call is printed at its sys_exit, or earlier at another call's sys_enter. */
#include "core/script/trace_calls.h"

#include <linux/errno.h>

#include "core/lib/string.h"
#include "core/recording/recording.h"
#include "core/sample/records.h"
#include "core/tracepoint/tracepoint.h"

#define THREADS      64
#define ENTRY_SIZE   160
#define RESULT_PLACE 70 /* column of the result */

PITOT_LAYOUT(sys_enter, 9, PITOT_CALL_BEGINS_FIELDS);
PITOT_LAYOUT(sys_exit, 2, PITOT_CALL_ENDS_FIELDS);

_Static_assert(offsetof(struct pitot_record_sys_enter, field_path) -
                       offsetof(struct pitot_record_sys_enter, field_arg0) ==
                   PITOT_CALL_ARGUMENTS * sizeof(uint64_t),
               "the arguments are adjacent words");
_Static_assert(offsetof(struct pitot_record_sys_enter, field_id) ==
                   offsetof(struct pitot_record_sys_exit, field_id),
               "both records have the number at the same place");

struct traced {
    uint32_t tid;
    bool pending;   /* `entry` waits for its result */
    uint64_t since; /* start of the current or last call; 0: none seen */
    char entry[ENTRY_SIZE];
    uint64_t events;
};

static struct {
    struct sink *sink;
    const struct trace_options *options;
    struct traced threads[THREADS];
    unsigned thread_count;
    struct traced *current; /* the thread of the last call */
    uint64_t first, events; /* time of the first sample; number of samples */
    uint64_t strangers;     /* samples of threads that did not fit in `threads` */
} trace;                    /* one user at a time; too large for a stack */

/* Each thread's sums, host.call_count of them: from trace_sums_take; NULL: no summary. */
static struct trace_stats *sums;

static size_t sums_size(void)
{
    return THREADS * host.call_count * sizeof(*sums);
}

static struct trace_stats *sums_of(const struct traced *thread)
{
    return &sums[(size_t)(thread - trace.threads) * host.call_count];
}

int trace_sums_take(bool summary, struct refusal *why)
{
    char what[64];

    if (sums)
        host.memory_give(sums, sums_size());
    sums = NULL;
    if (!summary)
        return 0;
    print_into(what, sizeof(what), "a summary: %zu bytes for the sums of %d threads", sums_size(),
               THREADS);
    sums = recording_take(sums_size(), what, why);
    return sums ? 0 : -ENOMEM;
}

static struct traced *find_thread(uint32_t tid)
{
    for (unsigned i = 0; i < trace.thread_count; i++)
        if (trace.threads[i].tid == tid)
            return &trace.threads[i];
    if (trace.thread_count == THREADS) {
        trace.strangers++;
        return NULL;
    }
    memset(&trace.threads[trace.thread_count], 0, sizeof(trace.threads[0]));
    trace.threads[trace.thread_count].tid = tid;
    return &trace.threads[trace.thread_count++];
}

/* --- A call and its arguments --- */

static size_t put_argument(char *text, size_t room, const struct pitot_call_argument *argument,
                           uint64_t value)
{
    if (argument->kind == PITOT_CALL_FD || argument->kind == PITOT_CALL_INT)
        return print_into(text, room, "%s: %lld", argument->name, (long long)(int32_t)value);
    if (argument->kind == PITOT_CALL_LONG)
        return print_into(text, room, "%s: %lld", argument->name, (long long)value);
    if (argument->kind == PITOT_CALL_SIZE)
        return print_into(text, room, "%s: %llu", argument->name, (unsigned long long)value);
    return print_into(text, room, "%s: 0x%llx", argument->name, (unsigned long long)value);
}

/* Like perf, omits arguments that are 0. The record contains only the first PATH string. */
static void put_entry(char *text, size_t room, const struct pitot_call *call,
                      const struct pitot_record_sys_enter *record)
{
    uint64_t arguments[PITOT_CALL_ARGUMENTS];
    size_t length = print_into(text, room, "%s(", call->name);
    bool any = false, path_known = record->field_path.of[0] != '\0';

    memcpy(arguments, (const char *)record + offsetof(struct pitot_record_sys_enter, field_arg0),
           sizeof(arguments));
    for (unsigned i = 0; call->argument[i].name && length < room; i++) {
        const struct pitot_call_argument *argument = &call->argument[i];

        if (arguments[i] == 0)
            continue;
        length += print_into(text + length, room - length, "%s", any ? ", " : "");
        any = true;
        if (length >= room)
            break;
        if (argument->kind == PITOT_CALL_PATH && path_known)
            length += print_into(text + length, room - length, "%s: \"%.*s%.*s\"", argument->name,
                                 TRACEPOINT_TEXT_SIZE - 1, record->field_path.of,
                                 TRACEPOINT_TEXT_SIZE - 1, record->field_path_more.of);
        else
            length += put_argument(text + length, room - length, argument, arguments[i]);
        path_known &= argument->kind != PITOT_CALL_PATH;
    }
}

/* --- Lines --- */

/* `duration` is NULL if unknown. */
static void print_head(const struct traced *thread, const uint64_t *duration)
{
    const char *comm = comm_of(thread->tid);

    if (thread->since == 0)
        print_to(trace.sink, "         ? ");
    else
        trace_print_ms(trace.sink, 10, thread->since - trace.first);
    print_to(trace.sink, thread->since ? " (" : "(");
    if (duration)
        trace_print_ms(trace.sink, 6, *duration);
    else
        print_to(trace.sink, "     ?");
    print_to(trace.sink, duration ? " ms): " : "   ): ");
    if (comm[0] == '\0')
        print_to(trace.sink, ":%u/%u ", thread->tid, thread->tid);
    else
        print_to(trace.sink, "%.14s/%u ", comm, thread->tid);
}

/* Prints the thread's call, if it has not returned, because another call begins. */
static void print_interrupted(struct traced *thread)
{
    int width = RESULT_PLACE - 5 - (int)strlen(thread->entry);

    if (!thread->pending)
        return;
    print_head(thread, NULL);
    print_to(trace.sink, "%s)%*s ...\n", thread->entry, width > 0 ? width : 0, "");
    thread->pending = false;
}

static void print_result(const struct pitot_call *call, int64_t result)
{
    const struct trace_error *error = result < 0 ? trace_error_find((uint64_t)-result) : NULL;
    bool timed_out = result == 0 && strcmp(call->name, "poll") == 0;

    if (error)
        print_to(trace.sink, "-1 %s (%s)\n", error->name, error->text);
    else if (result >= 0 && strcmp(call->name, "mmap") == 0)
        print_to(trace.sink, "0x%llx\n", (unsigned long long)result);
    else
        print_to(trace.sink, "%lld%s\n", (long long)result, timed_out ? " (Timeout)" : "");
}

static void print_whole(const struct traced *thread, const struct pitot_call *call,
                        const uint64_t *duration, int64_t result)
{
    int width;

    print_head(thread, duration);
    if (thread->pending) {
        print_to(trace.sink, "%s", thread->entry);
        width = RESULT_PLACE - 1 - (int)strlen(thread->entry);
    } else {
        print_to(trace.sink, " ... [continued]: %s()", call->name);
        width = RESULT_PLACE - 20 - (int)strlen(call->name);
    }
    print_to(trace.sink, ")%*s= ", width > 1 ? width : 1, "");
    print_result(call, result);
}

/* --- Samples --- */

static void take_enter(struct traced *thread, uint64_t time, const struct pitot_call *call,
                       const struct pitot_record_sys_enter *record)
{
    if (trace.options->lines && trace.current)
        print_interrupted(trace.current);
    thread->since = time;
    thread->pending = true;
    trace.current = thread;
    put_entry(thread->entry, sizeof(thread->entry), call, record);
    if (strcmp(call->name, "exit") != 0)
        return;
    if (trace.options->lines) {
        int width = RESULT_PLACE - 1 - (int)strlen(thread->entry);

        print_head(thread, NULL);
        print_to(trace.sink, "%s)%*s= ?\n", thread->entry, width > 1 ? width : 1, "");
    }
    thread->pending = false;
}

static void take_exit(struct traced *thread, uint64_t time, int call, int64_t result)
{
    uint64_t duration = time - thread->since;
    bool known = thread->since != 0;

    if (known && sums)
        trace_stats_add(&sums_of(thread)[call], duration, result < 0);
    if (trace.options->lines)
        print_whole(thread, trace_call_at((unsigned)call), known ? &duration : NULL, result);
    thread->pending = false;
}

/* Copies the record, which is not aligned in its sample. */
static void take_call(const struct sample_view *view, bool enter)
{
    struct pitot_record_sys_enter entered;
    struct pitot_record_sys_exit left;
    struct traced *thread;
    int call;

    if (!view->raw ||
        view->raw_size < (enter ? PITOT_RECORD_END(sys_enter) : PITOT_RECORD_END(sys_exit)))
        return;
    memcpy(&left, view->raw, PITOT_RECORD_END(sys_exit));
    call = trace_call_by_number((uint64_t)left.field_id);
    if (call < 0 || !(trace.options->calls >> call & 1) || !(thread = find_thread(view->tid)))
        return;
    if (trace.events++ == 0)
        trace.first = view->time;
    thread->events++;
    if (enter) {
        memcpy(&entered, view->raw, PITOT_RECORD_END(sys_enter));
        take_enter(thread, view->time, trace_call_at((unsigned)call), &entered);
    } else {
        take_exit(thread, view->time, call, left.field_ret);
    }
}

static void take_sample(const struct sample_view *view)
{
    const struct pitot_tracepoint *tracepoint = tracepoint_of_event(&view->event->attr);

    if (tracepoint && strcmp(tracepoint->full_name, "raw_syscalls:sys_enter") == 0)
        take_call(view, true);
    else if (tracepoint && strcmp(tracepoint->full_name, "raw_syscalls:sys_exit") == 0)
        take_call(view, false);
}

/* --- The summary --- */

static void print_thread(const struct traced *thread)
{
    const char *comm = comm_of(thread->tid);
    unsigned long long tenths = (thread->events * 1000 + trace.events / 2) / trace.events;

    print_to(trace.sink, " %s (%u), %llu events, %llu.%llu%%\n", comm[0] ? comm : "?", thread->tid,
             (unsigned long long)thread->events, tenths / 10, tenths % 10);
    trace_stats_print(trace.sink, sums_of(thread));
}

/* Threads with the most calls come first. */
static void print_summary(void)
{
    uint64_t below = UINT64_MAX;

    print_to(trace.sink, "\n Summary of events:\n\n");
    for (unsigned printed = 0; printed < trace.thread_count;) {
        uint64_t most = 0;

        for (unsigned i = 0; i < trace.thread_count; i++)
            if (trace.threads[i].events < below && trace.threads[i].events > most)
                most = trace.threads[i].events;
        for (unsigned i = 0; i < trace.thread_count; i++)
            if (trace.threads[i].events == most) {
                print_thread(&trace.threads[i]);
                printed++;
            }
        below = most;
    }
}

uint64_t trace_print(struct sink *sink, struct record_source *source,
                     const struct trace_options *options)
{
    const struct perf_event_header *record;
    struct sample_view view;

    trace.sink = sink;
    trace.options = options;
    trace.thread_count = 0;
    trace.current = NULL;
    trace.events = trace.strangers = 0;
    source->rewind(source);
    while ((record = source->next(source)) != NULL)
        if (sample_view_parse(record, source->events, source->event_count, &view))
            take_sample(&view);
    if (sums && trace.events)
        print_summary();
    if (trace.strangers)
        print_to(sink, "%llu events of more than %d threads are left out\n",
                 (unsigned long long)trace.strangers, THREADS);
    return trace.events;
}
