/* SPDX-License-Identifier: BSD-2-Clause */
/* See calls.h. */
#include "core/option/calls.h"

#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/script/trace_calls.h"
#include "core/script/trace_print.h"

static int refuse_call(const char *name, size_t length, struct refusal *why)
{
    char list[sizeof(why->text)];
    const struct trace_call *call;
    size_t used = 0;

    for (unsigned i = 0; (call = trace_call_at(i)) != NULL && used < sizeof(list); i++)
        used += print_into(list + used, sizeof(list) - used, "%s%s", i ? ", " : "", call->name);
    return refuse(why, EINVAL, "no system call \"%.*s\"; there are %s", (int)length, name, list);
}

int calls_set(void *at, const char *typed, char *value, struct refusal *why)
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

static int set(struct trace_options *options, bool lines)
{
    options->summary = true;
    options->lines = lines;
    return 0;
}

int calls_set_sums(void *at, const char *typed, char *value, struct refusal *why)
{
    (void)typed, (void)value, (void)why;
    return set(at, false);
}

int calls_set_both(void *at, const char *typed, char *value, struct refusal *why)
{
    (void)typed, (void)value, (void)why;
    return set(at, true);
}
