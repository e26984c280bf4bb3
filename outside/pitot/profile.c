/* SPDX-License-Identifier: BSD-2-Clause */
/* See profile.h. */
#define _GNU_SOURCE
#include "outside/pitot/profile.h"

#include <stdio.h>
#include <string.h>

#include "outside/pitot/array.h"

#define THREAD_ROOM 80

static _Noreturn void end_without_memory(void)
{
    fprintf(stderr, "pitot: out of memory\n");
    exit(1);
}

static uint32_t number_of(struct interned *strings, const char *text)
{
    return interned_number(strings, text, strlen(text));
}

uint32_t profile_callee(struct profile *profile, uint32_t caller, const char *function)
{
    struct profile_node root = {PROFILE_ROOT, UINT32_MAX};
    struct profile_node node = {caller, number_of(&profile->names, function)};

    interned_number(&profile->nodes, &root, sizeof(root));
    return interned_number(&profile->nodes, &node, sizeof(node));
}

static void count(struct profile *profile, const struct profile_row *row, uint64_t weight,
                  uint64_t samples)
{
    uint32_t number = interned_number(&profile->rows, row, sizeof(*row));
    struct refusal why;

    if (array_grow(&profile->sums, &profile->sums_room, number + 1, sizeof(*profile->sums), "sums",
                   &why))
        end_without_memory();
    profile->sums[number].weight += weight;
    profile->sums[number].samples += samples;
}

void profile_count(struct profile *profile, const char *event, const char *thread, uint32_t node,
                   uint64_t weight, uint64_t samples)
{
    struct profile_row row = {number_of(&profile->events, event),
                              number_of(&profile->threads, thread), node, PROFILE_NO_PLACE};

    count(profile, &row, weight, samples);
}

void profile_add(struct profile *profile, const struct profile_sample *sample)
{
    char thread[THREAD_ROOM];
    struct profile_row row = {.node = PROFILE_ROOT, .place = PROFILE_NO_PLACE};

    snprintf(thread, sizeof(thread), "%s (%d)", sample->comm, sample->tid);
    row.event = number_of(&profile->events, sample->event);
    row.thread = number_of(&profile->threads, thread);
    for (size_t i = sample->depth; i-- > 0;)
        row.node = profile_callee(profile, row.node, sample->functions[i]);
    if (sample->place)
        row.place = number_of(&profile->places, sample->place);
    count(profile, &row, sample->weight, 1);
    profile->named += sample->depth > 0 && sample->functions[0][0] != '[';
    profile->chains += sample->depth > 1;
}

const struct profile_node *profile_node(const struct profile *profile, uint32_t node)
{
    return interned_key(&profile->nodes, node);
}

const struct profile_row *profile_row(const struct profile *profile, uint32_t row)
{
    return interned_key(&profile->rows, row);
}

static int compare_rows(const void *a, const void *b, void *of)
{
    uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    const struct profile_row *one = profile_row(of, first), *other = profile_row(of, second);

    if (one->event != other->event)
        return one->event < other->event ? -1 : 1;
    if (one->thread != other->thread)
        return one->thread < other->thread ? -1 : 1;
    return first < second ? -1 : first > second;
}

void *profile_array(size_t count, size_t size)
{
    void *array = calloc(count + 1, size);

    if (!array)
        end_without_memory();
    return array;
}

uint32_t *profile_order(const struct profile *profile)
{
    uint32_t *order = profile_array(profile->rows.count, sizeof(*order));

    for (uint32_t i = 0; i < profile->rows.count; i++)
        order[i] = i;
    qsort_r(order, profile->rows.count, sizeof(*order), compare_rows, (void *)profile);
    return order;
}

size_t profile_group(const struct profile *profile, const uint32_t *order, size_t at)
{
    const struct profile_row *first = profile_row(profile, order[at]);

    while (++at < profile->rows.count) {
        const struct profile_row *row = profile_row(profile, order[at]);

        if (row->event != first->event || row->thread != first->thread)
            break;
    }
    return at;
}

const char *profile_function(const struct profile *profile, uint32_t node)
{
    return interned_key(&profile->names, profile_node(profile, node)->name);
}

bool profile_is_time(const char *event)
{
    return strncmp(event, "cpu-clock", strlen("cpu-clock")) == 0 ||
           strncmp(event, "task-clock", strlen("task-clock")) == 0;
}

const char *profile_unit(const char *event)
{
    static const struct {
        const char *begins, *unit;
    } units[] = {{"cpu-clock", "ns"},    {"task-clock", "ns"},   {"instructions", "instructions"},
                 {"cycles", "cycles"},   {"mem:", "hits"},       {"call:", "calls"},
                 {"return:", "returns"}, {"heap:peak", "bytes"}, {"heap:live", "bytes"}};

    for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        if (strncmp(event, units[i].begins, strlen(units[i].begins)) == 0)
            return units[i].unit;
    return "events";
}
