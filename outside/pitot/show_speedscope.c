/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * show_speedscope of show_forms.h: a profile for each event and thread. A row of equal samples is
 * one sample with their weight.
 *
 * Source: speedscope's file-format-spec.ts.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "outside/pitot/show_forms.h"

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
