/* SPDX-License-Identifier: BSD-2-Clause */
/* See writers.h. */
#include "outside/plugin/writers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outside/plugin/follow.h"
#include "outside/plugin/tell.h"

#define WORD        8u
#define PLACES_MOST 256
#define KEPT_MOST   1000
#define LENGTH_MOST (1u << 20) /* bytes of a place */

struct write {
    uint64_t ip, time, count;
    uint32_t context, thread;
    uint16_t cpu;
    uint8_t first, last; /* bytes of the word */
    bool valued;         /* `value` is known */
    uint8_t value[WORD];
};

static struct place {
    uint64_t first, last;
    bool moves;           /* `first` and `last` are addresses in the kernel's file */
    uint64_t *begun;      /* [word]: entries ever begun */
    struct write *writes; /* [word * kept + entry % kept]: a ring per word */
} places[PLACES_MOST];

static unsigned count, kept = 1;
static uint64_t watched_first = UINT64_MAX, watched_last; /* the range around all places */

const char *writers_keep(const char *argument)
{
    if (sscanf(argument, "%u", &kept) != 1 || kept == 0 || kept > KEPT_MOST)
        return "writes=N, from 1 to 1000";
    return NULL;
}

static uint64_t word_of(const struct place *place, uint64_t address)
{
    return address / WORD - place->first / WORD;
}

static void watch_place(const struct place *place)
{
    if (place->first < watched_first)
        watched_first = place->first;
    if (place->last > watched_last)
        watched_last = place->last;
}

static const char *add(const char *argument, bool moves)
{
    struct place *place = &places[count];
    uint64_t length, words;

    if (count == PLACES_MOST)
        return "256 places";
    if (sscanf(argument, "%" SCNx64 ":%" SCNu64, &place->first, &length) != 2 || length == 0 ||
        length > LENGTH_MOST)
        return "place=ADDRESS:LENGTH, up to 1 MiB";
    place->last = place->first + length - 1;
    words = word_of(place, place->last) + 1;
    place->begun = calloc(words, sizeof(*place->begun));
    place->writes = calloc(words * kept, sizeof(*place->writes));
    if (!place->begun || !place->writes)
        return "places that fit in memory";
    place->moves = moves;
    watch_place(place);
    count++;
    return NULL;
}

const char *writers_add(const char *argument)
{
    return add(argument, true);
}

const char *writers_add_fixed(const char *argument)
{
    return add(argument, false);
}

/* A slide is whole pages, so words stay aligned. */
void writers_slide(uint64_t by)
{
    watched_first = UINT64_MAX;
    watched_last = 0;
    for (struct place *place = places; place < places + count; place++) {
        place->first += place->moves ? by : 0;
        place->last += place->moves ? by : 0;
        watch_place(place);
    }
}

bool writers_watch(void)
{
    return count > 0;
}

/* True if the same code writes the same bytes again, or adjacent ones, as in a loop. */
static bool continues(const struct write *before, const struct write *write)
{
    return before->ip == write->ip && before->context == write->context &&
           before->thread == write->thread && write->first <= before->last + 1 &&
           before->first <= write->last + 1;
}

static void write_word(struct place *place, uint64_t word, const struct write *write)
{
    uint64_t *begun = &place->begun[word];
    struct write *ring = &place->writes[word * kept];
    struct write *newest = &ring[(*begun - 1) % kept];

    if (*begun > 0 && continues(newest, write)) {
        newest->first = write->first < newest->first ? write->first : newest->first;
        newest->last = write->last > newest->last ? write->last : newest->last;
        newest->count++;
        newest->time = write->time;
        newest->cpu = write->cpu;
        newest->valued = newest->valued && write->valued;
        memcpy(newest->value + write->first, write->value + write->first,
               write->last - write->first + 1u);
        return;
    }
    ring[(*begun)++ % kept] = *write;
}

/* Records that the bytes from `first` to `last`, all in the place, are now `value`. */
static void write_place(struct place *place, uint64_t first, uint64_t last, const uint8_t *value,
                        struct write *write)
{
    for (uint64_t word = word_of(place, first); word <= word_of(place, last); word++) {
        uint64_t at = (place->first / WORD + word) * WORD;

        write->first = (uint8_t)(first > at ? first - at : 0);
        write->last = (uint8_t)(last - at < WORD ? last - at : WORD - 1);
        memcpy(write->value + write->first, value, write->last - write->first + 1u);
        value += write->last - write->first + 1u;
        write_word(place, word, write);
    }
}

void writers_on_store(unsigned cpu, const struct store *store)
{
    uint64_t address = store->address, last = address + store->length - 1;
    uint8_t value[STORE_MOST];
    struct write write;

    if (__builtin_expect(address > watched_last || last < watched_first, 1))
        return;
    write = (struct write){.ip = store->ip,
                           .time = store->time,
                           .count = 1,
                           .context = follow_context(cpu),
                           .thread = follow_thread(cpu),
                           .cpu = (uint16_t)cpu,
                           .valued = store_value(store, value)};
    for (unsigned i = 0; i < count; i++) {
        struct place *place = &places[i];

        uint64_t first = address > place->first ? address : place->first;

        if (address <= place->last && last >= place->first)
            write_place(place, first, last < place->last ? last : place->last,
                        value + (first - address), &write);
    }
}

static void tell_history(unsigned place, uint64_t word)
{
    uint64_t begun = places[place].begun[word];

    for (uint64_t entry = begun; entry > 0 && begun - entry < kept; entry--) {
        const struct write *write = &places[place].writes[word * kept + (entry - 1) % kept];
        struct wire_word record = {.place = place,
                                   .thread = write->thread,
                                   .context = write->context,
                                   .length = write->last - write->first + 1u,
                                   .address =
                                       (places[place].first / WORD + word) * WORD + write->first,
                                   .ip = write->ip,
                                   .time = write->time,
                                   .count = write->count,
                                   .valued = write->valued};

        memcpy(&record.value, write->value + write->first, record.length);
        tell_word(&record, write->cpu);
    }
}

void writers_tell(void)
{
    for (unsigned place = 0; place < count; place++)
        for (uint64_t word = 0; word <= word_of(&places[place], places[place].last); word++)
            tell_history(place, word);
}
