/* SPDX-License-Identifier: BSD-2-Clause */
/* See blame.h: writers of places. */
#include "outside/plugin/blame.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "outside/plugin/follow.h"
#include "outside/plugin/registers.h"
#include "outside/plugin/tell.h"

#define UPPER_HALF (UINT64_C(1) << 63)
#define WORD       8u

struct write {
    uint64_t ip, time, count;
    uint64_t page; /* virtual, as the writer knew it */
    uint32_t context, thread;
    uint32_t interrupt;
    uint16_t cpu;
    uint8_t first, last; /* bytes of the word */
    bool valued;         /* `value` is known */
    uint8_t value[WORD];
};

static struct place {
    uint64_t first, last;
    bool fixed; /* the slide does not move them */
} places[PLACES_MOST];

struct word {
    uint64_t begun;      /* entries of its history ever begun */
    uint8_t known;       /* bit n: byte n of `value` is what the last write has left there */
    uint8_t value[WORD]; /* by the writes */
    uint8_t held[WORD];  /* by memory, when it was last read */
};

/* The part of a place in one physical page. */
struct area {
    uint64_t first, last; /* physical */
    uint64_t virtual;     /* address of its first byte in the place */
    unsigned place;
    uint64_t space;   /* of the last writer to this page of the place */
    uint64_t read;    /* instructions of all CPUs when memory was last read */
    bool by_physical; /* ... by its physical address */
    struct word *words;
    struct write *writes; /* [word * kept + entry % kept]: a ring per word */
    struct area *next;    /* in the order of their beginning */
    struct area *beside;  /* another one of the same physical page */
};

static unsigned count, kept = 1;
static struct area *areas, **areas_end = &areas;
static struct area no_area; /* of a mapping's page: it has none */
static uint64_t lost;       /* writes to places without memory for their history */

void writers_begin(uint32_t each, const struct request_place *wanted, uint32_t number)
{
    assert(each <= WRITERS_MOST && number <= PLACES_MOST);
    kept = each;
    count = number;
    for (unsigned i = 0; i < count; i++) {
        assert(wanted[i].length > 0 && wanted[i].length <= PLACE_LONGEST);
        places[i] = (struct place){.first = wanted[i].address,
                                   .last = wanted[i].address + wanted[i].length - 1,
                                   .fixed = wanted[i].fixed};
    }
}

static void renew(struct mapping *mapping)
{
    mapping->memory = NULL;
}

static void append(struct area *area)
{
    area->next = NULL;
    *areas_end = area;
    areas_end = &area->next;
}

/* Returns the last of a page's areas, which has all others beside it. */
static struct area *last_of(uint64_t physical)
{
    struct area *last = NULL;

    for (struct area *area = areas; area; area = area->next)
        if (area->first / PHYSICAL_PAGE == physical / PHYSICAL_PAGE)
            last = area;
    return last;
}

static void forget_moved(void)
{
    struct area *next;

    areas_end = &areas;
    for (struct area *area = areas; area; area = next) {
        next = area->next;
        if (!places[area->place].fixed) {
            free(area->words);
            free(area->writes);
            free(area);
            continue;
        }
        *areas_end = NULL;
        area->beside = last_of(area->first);
        append(area);
    }
    *areas_end = NULL;
}

/* What was stored before the place of the kernel's was known was stored to something else. */
void writers_slide(uint64_t by)
{
    for (struct place *place = places; place < places + count; place++) {
        place->first += place->fixed ? 0 : by;
        place->last += place->fixed ? 0 : by;
    }
    forget_moved();
    physical_each(renew);
}

bool writers_watch(void)
{
    return count > 0;
}

/* True if the same code writes the same bytes again, or adjacent ones, as in a loop. */
static bool continues(const struct write *before, const struct write *write)
{
    return before->ip == write->ip && before->context == write->context &&
           before->thread == write->thread && before->page == write->page &&
           write->first <= before->last + 1 && before->first <= write->last + 1;
}

static uint64_t word_of(const struct area *area, uint64_t physical)
{
    return physical / WORD - area->first / WORD;
}

/* Keeps what memory should hold from now on. */
static void expect(struct word *word, const struct write *write)
{
    unsigned size = write->last - write->first + 1u;
    unsigned bytes = ((1u << size) - 1) << write->first;

    memcpy(word->value + write->first, write->value + write->first, size);
    word->known = (uint8_t)(write->valued ? word->known | bytes : word->known & ~bytes);
}

static void write_word(struct area *area, uint64_t word, const struct write *write)
{
    uint64_t *begun = &area->words[word].begun;
    struct write *ring = &area->writes[word * kept];
    struct write *newest = &ring[(*begun - 1) % kept];

    expect(&area->words[word], write);
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

/* Records that the physical bytes from `first` to `last`, all in the area, are now `value`. */
static void write_area(struct area *area, uint64_t first, uint64_t last, const uint8_t *value,
                       struct write *write)
{
    for (uint64_t word = word_of(area, first); word <= word_of(area, last); word++) {
        uint64_t at = (area->first / WORD + word) * WORD;

        write->first = (uint8_t)(first > at ? first - at : 0);
        write->last = (uint8_t)(last - at < WORD ? last - at : WORD - 1);
        if (write->valued)
            memcpy(write->value + write->first, value, write->last - write->first + 1u);
        value += write->last - write->first + 1u;
        write_word(area, word, write);
    }
}

/* --- Which memory. --- */

static struct mapping *beginning; /* the mapping whose page is looked at */
static struct area *found;        /* the areas of its physical page */

/* Other mappings of the page lead to its areas, too. */
static void lead(struct mapping *mapping)
{
    if (mapping->physical == beginning->physical)
        mapping->memory = found;
}

static void begin_area(unsigned place, uint64_t first, uint64_t last, const struct mapping *mapping)
{
    struct area *area = calloc(1, sizeof(*area));
    uint64_t words = last / WORD - first / WORD + 1;

    if (area) {
        area->words = calloc(words, sizeof(*area->words));
        area->writes = calloc(words * kept, sizeof(*area->writes));
    }
    if (!area || !area->words || !area->writes) {
        lost++;
        return;
    }
    area->first = first;
    area->last = last;
    area->virtual = mapping->virtual | first % PHYSICAL_PAGE;
    area->read = UINT64_MAX;
    area->place = place;
    area->beside = found;
    found = area;
    append(area);
}

static bool has_area(unsigned place, uint64_t first)
{
    for (const struct area *area = found; area; area = area->beside)
        if (area->place == place && area->first == first)
            return true;
    return false;
}

/* A new mapping: its page may be one of a place, or one that has areas already. */
__attribute__((noinline)) static void begin_mapping(struct mapping *mapping)
{
    beginning = mapping;
    found = last_of(mapping->physical);
    for (unsigned i = 0; i < count; i++) {
        uint64_t end = mapping->virtual + (PHYSICAL_PAGE - 1);
        uint64_t first = places[i].first > mapping->virtual ? places[i].first : mapping->virtual;
        uint64_t last = places[i].last < end ? places[i].last : end;
        uint64_t shift = mapping->physical - mapping->virtual;

        if (first <= last && !has_area(i, first + shift))
            begin_area(i, first + shift, last + shift, mapping);
    }
    if (found)
        physical_each(lead);
    else
        mapping->memory = &no_area;
}

/* A store to a page with areas. */
__attribute__((noinline)) static void write_areas(unsigned cpu, const struct store *store,
                                                  const struct mapping *mapping, uint64_t first,
                                                  uint64_t last)
{
    uint64_t shift = mapping->physical - mapping->virtual;
    uint8_t value[STORE_MOST];
    struct write write;

    write = (struct write){.ip = store->ip,
                           .time = store->time,
                           .count = 1,
                           .page = mapping->virtual,
                           .context = (uint32_t)store->context,
                           .thread = (uint32_t)store->thread,
                           .interrupt = store->interrupt,
                           .cpu = (uint16_t)cpu,
                           .valued = store_value(store, value)};
    for (struct area *area = mapping->memory; area; area = area->beside) {
        uint64_t from = first + shift > area->first ? first + shift : area->first;
        uint64_t to = last + shift < area->last ? last + shift : area->last;

        if (from <= to)
            write_area(area, from, to, value + (from - shift - store->address), &write);
        if (area->virtual / PHYSICAL_PAGE == mapping->virtual / PHYSICAL_PAGE)
            area->space = follow_space_of(cpu);
    }
}

void writers_on_store(unsigned cpu, const struct store *store, struct mapping *mapping,
                      uint64_t first, uint64_t last)
{
    if (__builtin_expect(!mapping->memory, 0))
        begin_mapping(mapping);
    if (__builtin_expect(mapping->memory != &no_area, 0))
        write_areas(cpu, store, mapping, first, last);
}

/* --- What memory holds. --- */

/*
 * True if the address leads to the area as far as that is known: it has never led to another one,
 * and the last writer had the same address space, or the kernel's half, which all share.
 */
static bool is_there(const struct area *area, unsigned cpu)
{
    for (const struct area *other = areas; other; other = other->next)
        if (other != area && other->place == area->place && other->virtual == area->virtual)
            return false;
    return area->virtual >= UPPER_HALF || area->space == follow_space_of(cpu);
}

static void read_area(struct area *area, unsigned cpu, uint64_t time)
{
    uint8_t bytes[PHYSICAL_PAGE];
    size_t size = area->last - area->first + 1;

    area->by_physical = registers_physical(area->first, bytes, size);
    area->read = UINT64_MAX;
    if (!area->by_physical &&
        (!is_there(area, cpu) || !registers_memory(cpu, area->virtual, bytes, size)))
        return;
    area->read = time;
    for (uint64_t at = area->first; at <= area->last; at++)
        area->words[word_of(area, at)].held[at % WORD] = bytes[at - area->first];
}

void writers_read(unsigned cpu, uint64_t time)
{
    for (struct area *area = areas; area; area = area->next)
        read_area(area, cpu, time);
}

static void tell_held_word(const struct area *area, uint64_t number)
{
    const struct word *word = &area->words[number];
    uint64_t at = (area->first / WORD + number) * WORD;
    unsigned first = (unsigned)(area->first > at ? area->first - at : 0);
    unsigned last = (unsigned)(area->last - at < WORD ? area->last - at : WORD - 1);
    struct wire_held record = {.place = area->place,
                               .length = last - first + 1,
                               .physical = at + first,
                               .likely = !area->by_physical};
    bool differs = false;

    for (unsigned i = first; i <= last; i++) {
        if (word->begun > 0 && word->known >> i & 1)
            differs |= word->held[i] != word->value[i];
        else if (word->begun == 0)
            differs |= word->held[i] != 0;
    }
    memcpy(&record.value, word->held + first, record.length);
    if (differs)
        tell_held(&record);
}

static void tell_memory(uint64_t end)
{
    uint64_t unread = 0;

    for (const struct area *area = areas; area; area = area->next) {
        unread += area->read != end;
        for (uint64_t word = 0; area->read == end && word <= word_of(area, area->last); word++)
            tell_held_word(area, word);
    }
    tell_number(WIRE_UNREAD, 0, unread);
}

/* --- The end. --- */

static void tell_history(const struct area *area, uint64_t word)
{
    uint64_t begun = area->words[word].begun;

    for (uint64_t entry = begun; entry > 0 && begun - entry < kept; entry--) {
        const struct write *write = &area->writes[word * kept + (entry - 1) % kept];
        uint64_t physical = (area->first / WORD + word) * WORD + write->first;
        struct wire_word record = {.place = area->place,
                                   .thread = write->thread,
                                   .context = write->context,
                                   .length = write->last - write->first + 1u,
                                   .address = write->page | physical % PHYSICAL_PAGE,
                                   .physical = physical,
                                   .ip = write->ip,
                                   .time = write->time,
                                   .count = write->count,
                                   .valued = write->valued,
                                   .interrupt = write->interrupt};

        memcpy(&record.value, write->value + write->first, record.length);
        tell_word(&record, write->cpu);
    }
}

void writers_tell(uint64_t end)
{
    for (const struct area *area = areas; area; area = area->next)
        for (uint64_t word = 0; word <= word_of(area, area->last); word++)
            tell_history(area, word);
    tell_memory(end);
    tell_number(WIRE_LOST, 0, lost);
}
