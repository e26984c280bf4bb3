/* SPDX-License-Identifier: BSD-2-Clause */
/* See blame_text.h. */
#include "outside/pitot/blame_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "outside/pitot/chain_text.h"
#include "outside/pitot/name.h"
#include "outside/pitot/threads.h"

#define SECOND_NS 1000000000u

static uint64_t clocks[WRITES_CPUS], lost_writes;
static const char *kernel_name;

int blame_clock(const struct wire_number *clock, struct refusal *why)
{
    if (clock->head.cpu >= WRITES_CPUS)
        return refuse(why, EINVAL, "the plugin's CPU %u is invalid", clock->head.cpu);
    clocks[clock->head.cpu] = clock->number;
    return 0;
}

static bool has_same_writers(const struct group *a, const struct group *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct wire_word *left = &a->writes[i], *right = &b->writes[i];

        if (left->ip != right->ip || left->context != right->context ||
            left->thread != right->thread || left->head.cpu != right->head.cpu ||
            left->count != right->count || !writes_whole(a, left) || !writes_whole(b, right))
            return false;
    }
    return true;
}

static void print_bytes(const struct place *place, uint64_t first, uint64_t last)
{
    if (first == last)
        printf("byte %" PRIu64, first - place->address);
    else
        printf("bytes %" PRIu64 "-%" PRIu64, first - place->address, last - place->address);
}

static void print_function(FILE *file, uint64_t address)
{
    char name[NAME_ROOM];

    if (address == NAME_NOT_KNOWN)
        fprintf(file, "\t%16s %s\n", "", name_place(address, name));
    else
        fprintf(file, "\t%16" PRIx64 " %s\n", address, name_place(address, name));
}

static void print_chain(const struct wire_word *write)
{
    print_function(stdout, write->ip);
    chain_print(stdout, write->context, "\t", print_function);
}

static void print_write(const struct place *place, const struct group *group,
                        const struct wire_word *write)
{
    printf("%16s %7u [%03u] %5" PRIu64 ".%09" PRIu64 ": ",
           write->thread ? threads_name(write->thread) : kernel_name, write->thread + KERNEL_TID,
           write->head.cpu, write->time / SECOND_NS, write->time % SECOND_NS);
    if (write->count > 1)
        printf("%" PRIu64 " times in a row, ", write->count);
    if (!writes_whole(group, write)) {
        print_bytes(place, write->address, write->address + write->length - 1);
        printf(", ");
    }
    if (write->valued && group->last == group->word_last)
        printf("value 0x%" PRIx64 ", ", write->value);
    printf("%" PRIu64 " instructions ago\n", clocks[write->head.cpu] - write->time);
    print_chain(write);
}

static void print_group(const struct place *place, const struct group *group)
{
    uint64_t bytes = group->last - group->first + 1;

    printf("%s, ", place->name);
    if (bytes == place->length)
        printf("%" PRIu64 " byte%s", bytes, bytes == 1 ? "" : "s");
    else
        print_bytes(place, group->first, group->last);
    printf(" (0x%" PRIx64 "):\n", group->first);
    if (group->count == 0 && lost_writes == 0)
        printf("    not written since the kernel began\n");
    else if (group->count == 0)
        printf("    not written, or one of %" PRIu64 " writes without room (-m)\n", lost_writes);
    for (size_t i = 0; i < group->count; i++)
        if (group->writes[i].count > 0)
            print_write(place, group, &group->writes[i]);
        else
            printf("    not known: the last write to these 4 bytes did not cover them\n");
    putchar('\n');
}

static void print_place(const struct place *place, size_t number, size_t *next)
{
    uint64_t end = place->address + place->length - 1;
    struct group group = {.count = 0};

    for (uint64_t first = place->address; first - 1 != end; first = group.last + 1) {
        struct group word = writes_group(number, first, end, next);

        if (first > place->address && has_same_writers(&group, &word)) {
            group.last = word.last;
            continue;
        }
        if (first > place->address)
            print_group(place, &group);
        group = word;
    }
    print_group(place, &group);
}

int blame_print(const struct place *places, size_t count, const char *kernel, uint64_t lost,
                struct refusal *why)
{
    size_t next = 0;
    int error = writes_sort(clocks, why);

    kernel_name = kernel;
    lost_writes = lost;
    for (size_t i = 0; i < count && !error; i++)
        print_place(&places[i], i, &next);
    return error;
}
