/* SPDX-License-Identifier: BSD-2-Clause */
/* See option_values.h. */
#include "core/perf/option_values.h"

#include "arch/cpu.h"
#include "arch/memory.h"
#include "core/lib/number.h"
#include "core/lib/string.h"
#include "core/lib/words.h"
#include "core/script/trace_calls.h"

#define SIZE_MOST (1ull << 40) /* leaves room to multiply by the page size */

int value_set_ring_size(void *at, const char *typed, char *value, struct refusal *why)
{
    uint64_t *size = at;
    bool unit;

    (void)typed;
    if (!number_parse_size(value, SIZE_MOST, size, &unit))
        return refuse(why, EINVAL, "ring size \"%s\": pages, or bytes with k, m or g are allowed",
                      value);
    if (!unit)
        *size *= PAGE_SIZE;
    return 0;
}

int value_set_window(void *at, const char *typed, char *value, struct refusal *why)
{
    bool unit;

    (void)typed;
    if (number_parse_size(value, SIZE_MOST, at, &unit))
        return 0;
    return refuse(why, EINVAL,
                  "window \"%s\": a number of instructions from 1 on, also with k, m or g", value);
}

int value_set_pid(void *at, const char *typed, char *value, struct refusal *why)
{
    uint64_t pid;

    (void)typed;
    if (number_parse(value, 0, &pid))
        return refuse(
            why, EINVAL,
            "pid \"%s\": the idle threads of all CPUs have this number, so it names none; "
            "-a records them, too, and --filter 'common_pid == 0' only them",
            value);
    if (!number_parse(value, INT32_MAX, &pid))
        return refuse(why, EINVAL, "pid \"%s\": give the number of a thread; `ps` lists them",
                      value);
    *(uint32_t *)at = (uint32_t)pid;
    return 0;
}

static int refuse_cpus(const char *list, struct refusal *why)
{
    unsigned cpus = arch_cpus();

    if (cpus == 1)
        return refuse(why, EINVAL, "-C \"%s\": this machine has only CPU 0", list);
    return refuse(
        why, EINVAL,
        "-C \"%s\": give CPU numbers with commas, or ranges such as 0-2; this machine has 0 to %u",
        list, cpus - 1);
}

int value_set_cpus(void *at, const char *typed, char *value, struct refusal *why)
{
    const char *next = value;
    uint64_t cpus = 0, most = arch_cpus() - 1;

    (void)typed;
    for (;;) {
        uint64_t first, last;

        if (number_read(&next, 10, most, &first) != NUMBER_READ)
            return refuse_cpus(value, why);
        last = first;
        if (*next == '-') {
            next++;
            if (number_read(&next, 10, most, &last) != NUMBER_READ || last < first)
                return refuse_cpus(value, why);
        }
        for (uint64_t cpu = first; cpu <= last; cpu++)
            cpus |= 1ull << cpu;
        if (*next == '\0')
            break;
        if (*next++ != ',')
            return refuse_cpus(value, why);
    }
    *(uint64_t *)at = cpus;
    return 0;
}

static int refuse_call(const char *name, size_t length, struct refusal *why)
{
    char list[400];
    struct words names = words_begin(list, sizeof(list));
    const struct trace_call *call;

    for (unsigned i = 0; (call = trace_call_at(i)) != NULL; i++)
        words_add(&names, "%s", call->name);
    return refuse(why, EINVAL, "no system call \"%.*s\"; there are %s", (int)length, name, list);
}

int value_set_calls(void *at, const char *typed, char *value, struct refusal *why)
{
    (void)typed;
    for (const char *list = value;; list++) {
        const char *end = strchr(list, ',');
        size_t length = end ? (size_t)(end - list) : strlen(list);
        int call = trace_call_by_name(list, length);

        if (call < 0)
            return refuse_call(list, length, why);
        *(uint64_t *)at |= 1ull << call;
        if (!end)
            return 0;
        list = end;
    }
}

int value_set_summary(void *at, const char *typed, char *value, struct refusal *why)
{
    struct trace_options *options = at;

    (void)value, (void)why;
    options->summary = true;
    options->lines = strcmp(typed, "-S") == 0;
    return 0;
}
