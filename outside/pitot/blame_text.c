/* SPDX-License-Identifier: BSD-2-Clause */
/* See blame_text.h. */
#include "outside/pitot/blame_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/symbols/symbols.h"
#include "outside/pitot/contexts.h"
#include "outside/pitot/threads.h"

#define WORD       8
#define CPUS_MOST  256
#define CHAIN_MOST 127 /* callers that are printed, as by perf script */
#define NAME_ROOM  512
#define SECOND_NS  1000000000u

static struct {
    struct wire_word *words; /* in the order in which they were told, until they are printed */
    size_t count, room;
    uint64_t clocks[CPUS_MOST];
    const char *kernel;
} blame;

/* Bytes of a place with the same writers: `count` writes, those of the first word of them. */
struct group {
    uint64_t first, last, word_last;
    const struct wire_word *writes;
    size_t count;
};

int blame_add(const struct wire_word *word, struct refusal *why)
{
    if (word->head.cpu >= CPUS_MOST || word->length == 0 || contexts_depth(word->context) < 0)
        return refuse(why, EINVAL, "the plugin's write by CPU %u in context %u is impossible",
                      word->head.cpu, word->context);
    if (blame.count == blame.room) {
        size_t more = blame.room ? 2 * blame.room : 64;
        struct wire_word *grown = reallocarray(blame.words, more, sizeof(*grown));

        if (!grown)
            return refuse(why, ENOMEM, "out of memory for %zu writes", more);
        blame.words = grown;
        blame.room = more;
    }
    blame.words[blame.count++] = *word;
    return 0;
}

int blame_clock(const struct wire_clock *clock, struct refusal *why)
{
    if (clock->head.cpu >= CPUS_MOST)
        return refuse(why, EINVAL, "the plugin's CPU %u is impossible", clock->head.cpu);
    blame.clocks[clock->head.cpu] = clock->time;
    return 0;
}

/* The plugin tells place by place, word by word: the writes of a word follow each other. */
static struct group group_of(size_t place, uint64_t first, uint64_t last, size_t *next)
{
    struct group group = {.first = first, .last = last, .word_last = last};

    group.writes = &blame.words[*next];
    while (*next < blame.count && blame.words[*next].place == place &&
           blame.words[*next].address >= first && blame.words[*next].address <= last) {
        ++*next;
        group.count++;
    }
    return group;
}

static bool is_whole(const struct group *group, const struct wire_word *write)
{
    return write->address == group->first && write->address + write->length - 1 == group->word_last;
}

static bool has_same_writers(const struct group *a, const struct group *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct wire_word *left = &a->writes[i], *right = &b->writes[i];

        if (left->ip != right->ip || left->context != right->context ||
            left->thread != right->thread || left->head.cpu != right->head.cpu ||
            left->count != right->count || !is_whole(a, left) || !is_whole(b, right))
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

static void print_function(uint64_t address)
{
    char name[NAME_ROOM];

    printf("\t%16" PRIx64 " %s\n", address, symbols_describe(address, name, sizeof(name)));
}

static void print_chain(const struct wire_word *write)
{
    long depth = contexts_depth(write->context);
    uint64_t callers[CHAIN_MOST];
    size_t count = depth < CHAIN_MOST ? (size_t)depth : CHAIN_MOST;

    contexts_chain(write->context, callers, count);
    print_function(write->ip);
    for (size_t i = 0; i < count; i++)
        print_function(callers[i]);
    if ((long)count < depth)
        printf("\t... and %ld more callers\n", depth - (long)count);
}

static void print_write(const struct place *place, const struct group *group,
                        const struct wire_word *write)
{
    printf("%16s %7u [%03u] %5" PRIu64 ".%09" PRIu64 ": ",
           write->thread ? threads_name(write->thread) : blame.kernel, write->thread + KERNEL_TID,
           write->head.cpu, write->time / SECOND_NS, write->time % SECOND_NS);
    if (write->count > 1)
        printf("%" PRIu64 " times in a row, ", write->count);
    if (!is_whole(group, write)) {
        print_bytes(place, write->address, write->address + write->length - 1);
        printf(", ");
    }
    printf("%" PRIu64 " instructions ago\n", blame.clocks[write->head.cpu] - write->time);
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
    if (group->count == 0)
        printf("    not written since the kernel began\n");
    for (size_t i = 0; i < group->count; i++)
        print_write(place, group, &group->writes[i]);
    putchar('\n');
}

static void print_place(const struct place *place, size_t number, size_t *next)
{
    uint64_t end = place->address + place->length - 1;
    struct group group = {.count = 0};

    for (uint64_t first = place->address, last;; first = last + 1) {
        last = end - first < WORD - first % WORD ? end : first + (WORD - 1 - first % WORD);
        struct group word = group_of(number, first, last, next);
        if (first == place->address) {
            group = word;
        } else if (has_same_writers(&group, &word)) {
            group.last = last;
        } else {
            print_group(place, &group);
            group = word;
        }
        if (last == end)
            break;
    }
    print_group(place, &group);
}

void blame_print(const struct place *places, size_t count, const char *kernel)
{
    size_t next = 0;

    blame.kernel = kernel;
    for (size_t i = 0; i < count; i++)
        print_place(&places[i], i, &next);
}
