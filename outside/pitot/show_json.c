/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Forms of a profile in JSON (show.h), and its strings. In speedscope's and the Firefox Profiler's
 * forms, a row of equal samples is one sample with their weight.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "outside/pitot/plain.h"
#include "outside/pitot/show.h"

#define TAB     8 /* columns */
#define VERSION "47"
#define NONE    UINT32_MAX

void show_json_string(FILE *out, const char *text)
{
    char *plain = plain_text(text);

    fputc('"', out);
    for (const char *at = plain; at && *at; at++)
        if (*at == '"' || *at == '\\')
            fprintf(out, "\\%c", *at);
        else if (*at == '<') /* </script> would end the page's data */
            fputs("\\u003c", out);
        else
            fputc(*at, out);
    fputc('"', out);
    free(plain);
}

void show_json_wide(FILE *out, const char *text)
{
    char *wide = malloc(TAB * strlen(text) + 1), *to = wide;

    for (; wide && *text; text++)
        if (*text == '\t')
            do
                *to++ = ' ';
            while ((to - wide) % TAB);
        else
            *to++ = *text;
    if (wide)
        *to = '\0';
    show_json_string(out, wide ? wide : "");
    free(wide);
}

void show_json_strings(FILE *out, const struct interned *strings, const char *before,
                       const char *after)
{
    for (uint32_t i = 0; i < strings->count; i++) {
        fprintf(out, "%s%s", i ? "," : "", before);
        show_json_string(out, interned_key(strings, i));
        fputs(after, out);
    }
}

/* --- speedscope: a profile for each event and thread --- */

/* Source: speedscope's file-format-spec.ts. */

static void write_chain(FILE *out, const struct profile *profile, uint32_t node)
{
    const struct profile_node *at = profile_node(profile, node);

    if (node == PROFILE_ROOT)
        return;
    write_chain(out, profile, at->parent);
    fprintf(out, "%s%u", at->parent == PROFILE_ROOT ? "" : ",", at->name);
}

/* The thread, and the event if there are several. */
static void write_title(FILE *out, const struct profile *profile, const char *thread,
                        const char *event)
{
    char *both = NULL;

    if (profile->events.count > 1 && asprintf(&both, "%s, %s", thread, event) < 0)
        both = NULL;
    show_json_string(out, both ? both : thread);
    free(both);
}

static void write_group(FILE *out, const struct profile *profile, const uint32_t *rows,
                        size_t count)
{
    const struct profile_row *first = profile_row(profile, rows[0]);
    const char *event = interned_key(&profile->events, first->event);
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += profile->sums[rows[i]].weight;
    fputs("{\"type\":\"sampled\",\"name\":", out);
    write_title(out, profile, interned_key(&profile->threads, first->thread), event);
    fprintf(out, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%llu,\n\"samples\":[",
            profile_is_time(event) ? "nanoseconds" : "none", (unsigned long long)sum);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ",[" : "[", out);
        write_chain(out, profile, profile_row(profile, rows[i])->node);
        fputc(']', out);
    }
    fputs("],\n\"weights\":[", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%llu", i ? "," : "", (unsigned long long)profile->sums[rows[i]].weight);
    fputs("]}", out);
}

void show_speedscope(FILE *out, const struct profile *profile, const char *title)
{
    uint32_t *order = profile_order(profile);

    fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"name\":", out);
    show_json_string(out, title);
    fputs(",\n\"shared\":{\"frames\":[", out);
    show_json_strings(out, &profile->names, "{\"name\":", "}");
    fputs("]},\n\"profiles\":[", out);
    for (size_t at = 0, end; at < profile->rows.count; at = end) {
        end = profile_group(profile, order, at);
        fputs(at ? ",\n" : "", out);
        write_group(out, profile, order + at, end - at);
    }
    fputs("]}\n", out);
    free(order);
}

/* --- The Firefox Profiler --- */

/*
 * A thread of it for each event, in which the recording's threads are the outermost functions: each
 * thread there has tables of its own, and a kernel may have thousands of threads. The time of a row
 * is its number, as samples need an order.
 *
 * Source: the Firefox Profiler's types/profile.ts and CHANGELOG-formats.md, for VERSION of the
 * processed format; later profilers upgrade it.
 */

/* A stack, and the function that was called last in it: a name, or a thread after all names. */
struct stack {
    uint32_t outer, function;
};

/* A column of `count` equal values. */
static void write_same(FILE *out, const char *name, const char *value, size_t count)
{
    fprintf(out, ",\"%s\":[", name);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%s", i ? "," : "", value);
    fputc(']', out);
}

/* A column of numbers from 0 on. */
static void write_numbers(FILE *out, const char *name, size_t count)
{
    fprintf(out, ",\"%s\":[", name);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%zu", i ? "," : "", i);
    fputc(']', out);
}

static void write_functions(FILE *out, const struct profile *profile)
{
    static const char *const same[][2] = {{"isJS", "false"},      {"relevantForJS", "false"},
                                          {"resource", "-1"},     {"fileName", "null"},
                                          {"lineNumber", "null"}, {"columnNumber", "null"}};
    static const char *const same_of_frame[][2] = {
        {"address", "-1"},    {"inlineDepth", "0"},       {"category", "0"},
        {"subcategory", "0"}, {"nativeSymbol", "null"},   {"innerWindowID", "0"},
        {"line", "null"},     {"implementation", "null"}, {"column", "null"}};
    size_t count = profile->names.count + profile->threads.count;

    fputs(",\n\"stringArray\":[", out);
    show_json_strings(out, &profile->names, "", "");
    fputc(',', out);
    show_json_strings(out, &profile->threads, "", "");
    fprintf(out, "],\n\"funcTable\":{\"length\":%zu", count);
    write_numbers(out, "name", count);
    for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
        write_same(out, same[i][0], same[i][1], count);
    fprintf(out, "},\n\"frameTable\":{\"length\":%zu", count);
    write_numbers(out, "func", count);
    for (size_t i = 0; i < sizeof(same_of_frame) / sizeof(*same_of_frame); i++)
        write_same(out, same_of_frame[i][0], same_of_frame[i][1], count);
    fputs("},\n\"resourceTable\":{\"length\":0,\"lib\":[],\"name\":[],\"host\":[],\"type\":[]},\n"
          "\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],\"name\":[],"
          "\"functionSize\":[]},\n"
          "\"markers\":{\"length\":0,\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],"
          "\"phase\":[],\"category\":[]}",
          out);
}

/* Returns the stack's number. */
static uint32_t add_stack(struct interned *stacks, const struct profile *profile, uint32_t thread,
                          uint32_t node)
{
    const struct profile_node *at = profile_node(profile, node);
    struct stack stack = {NONE, (uint32_t)profile->names.count + thread};

    if (node != PROFILE_ROOT)
        stack = (struct stack){add_stack(stacks, profile, thread, at->parent), at->name};
    return interned_number(stacks, &stack, sizeof(stack));
}

static void write_stacks(FILE *out, const struct interned *stacks)
{
    fprintf(out, ",\n\"stackTable\":{\"length\":%zu", stacks->count);
    write_same(out, "category", "0", stacks->count);
    write_same(out, "subcategory", "0", stacks->count);
    fputs(",\"frame\":[", out);
    for (uint32_t i = 0; i < stacks->count; i++)
        fprintf(out, "%s%u", i ? "," : "",
                ((const struct stack *)interned_key(stacks, i))->function);
    fputs("],\"prefix\":[", out);
    for (uint32_t i = 0; i < stacks->count; i++) {
        uint32_t outer = ((const struct stack *)interned_key(stacks, i))->outer;

        fprintf(out, outer == NONE ? "%snull" : "%s%u", i ? "," : "", outer);
    }
    fputs("]}", out);
}

/* The profiler counts time in milliseconds, and all else in samples. */
static void write_weight(FILE *out, uint64_t weight, bool is_time)
{
    if (is_time)
        fprintf(out, "%llu.%06llu", (unsigned long long)(weight / 1000000),
                (unsigned long long)(weight % 1000000));
    else
        fprintf(out, "%llu", (unsigned long long)weight);
}

static void write_event(FILE *out, const struct profile *profile, uint32_t event)
{
    bool is_time = profile_is_time(interned_key(&profile->events, event));
    struct interned stacks = {0};
    size_t count = 0;

    fprintf(out,
            "{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"
            "\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],\"isMainThread\":%s,"
            "\"pid\":\"1\",\"tid\":%u,\"name\":",
            event ? "false" : "true", event + 1);
    show_json_string(out, interned_key(&profile->events, event));
    fprintf(out, ",\n\"samples\":{\"weightType\":\"%s\",\"stack\":[",
            is_time ? "tracing-ms" : "samples");
    for (uint32_t i = 0; i < profile->rows.count; i++) {
        const struct profile_row *row = profile_row(profile, i);

        if (row->event == event)
            fprintf(out, "%s%u", count++ ? "," : "",
                    add_stack(&stacks, profile, row->thread, row->node));
    }
    fputs("],\"weight\":[", out);
    for (uint32_t i = 0, before = 0; i < profile->rows.count; i++)
        if (profile_row(profile, i)->event == event) {
            fputs(before++ ? "," : "", out);
            write_weight(out, profile->sums[i].weight, is_time);
        }
    fputc(']', out);
    write_numbers(out, "time", count);
    fprintf(out, ",\"length\":%zu}", count);
    write_functions(out, profile);
    write_stacks(out, &stacks);
    fputc('}', out);
    interned_free(&stacks);
}

void show_firefox(FILE *out, const struct profile *profile, const char *title)
{
    fputs("{\"meta\":{\"version\":29,\"preprocessedProfileVersion\":" VERSION ",\"interval\":1,"
          "\"startTime\":0,\"processType\":0,\"stackwalk\":0,\"debug\":false,\"symbolicated\":true,"
          "\"product\":",
          out);
    show_json_string(out, title);
    fputs(",\"abi\":\"x86_64\",\"categories\":[{\"name\":\"Other\",\"color\":\"grey\","
          "\"subcategories\":[\"Other\"]}],\"markerSchema\":[]},\n\"libs\":[],\"pages\":[],"
          "\"threads\":[",
          out);
    for (uint32_t event = 0; event < profile->events.count; event++) {
        fputs(event ? ",\n" : "", out);
        write_event(out, profile, event);
    }
    fputs("]}\n", out);
}
