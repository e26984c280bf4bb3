/* SPDX-License-Identifier: BSD-2-Clause */
/* See blame.h. */
#include "core/lib/assert.h"
#include "outside/pitot/array.h"
#include "outside/pitot/blame.h"
#include "outside/pitot/contexts.h"

#define WORD           8u
#define GRANULE        4u /* as in outside/plugin/shadow_page.h */
#define PAGE           4096u
#define PHYSICAL_END   (UINT64_C(1) << 52) /* of x86-64 */
#define INTERRUPT_MOST 257

static struct written *written;
static size_t written_count, written_room;
static struct wire_mapping *mappings;
static size_t mappings_count, mappings_room;
static struct wire_held *helds;
static size_t helds_count, helds_room;
static bool picked; /* each write is the last of its bytes; otherwise they are histories of words */

static int add(const struct wire_word *word, size_t order, struct refusal *why)
{
    int error =
        array_grow(&written, &written_room, written_count + 1, sizeof(*written), "writes", why);

    if (error)
        return error;
    written[written_count++] = (struct written){*word, order};
    return 0;
}

/* True if the bytes lie in one page, and the address leads to them. */
static bool lies_well(const struct wire_word *word)
{
    uint64_t offset = word->physical % PAGE;

    return word->physical < PHYSICAL_END && word->length > 0 && offset + word->length <= PAGE &&
           (word->address == UINT64_MAX || word->address % PAGE == offset);
}

/* Returns how many instructions before its last write a run began. */
static uint64_t duration(const struct wire_word *word)
{
    return word->unit ? (uint64_t)((word->length - 1) / word->unit) * word->step : 0;
}

static int check(const struct wire_word *word, struct refusal *why)
{
    if (word->head.cpu < WRITES_CPUS && lies_well(word) && word->interrupt <= INTERRUPT_MOST &&
        duration(word) <= word->time && contexts_depth(word->context) >= 0)
        return 0;
    return refuse(why, EINVAL, "the plugin's write by CPU %u in context %u is invalid",
                  word->head.cpu, word->context);
}

int writes_add(const struct wire_word *word, struct refusal *why)
{
    int error = check(word, why);

    return error ? error : add(word, written_count, why);
}

/* --- What memory holds. --- */

int writes_hold(const struct wire_held *held, struct refusal *why)
{
    int error;

    if (held->physical >= PHYSICAL_END || held->length == 0 ||
        held->physical % WORD + held->length > WORD)
        return refuse(why, EINVAL, "what the plugin says memory holds at 0x%llx is invalid",
                      (unsigned long long)held->physical);
    error = array_grow(&helds, &helds_room, helds_count + 1, sizeof(*helds), "words", why);
    if (!error)
        helds[helds_count++] = *held;
    return error;
}

static int compare_helds(const void *left, const void *right)
{
    const struct wire_held *a = left, *b = right;

    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return a->physical < b->physical ? -1 : a->physical > b->physical;
}

static const struct wire_held *find_held(size_t number, uint64_t physical)
{
    const struct wire_held wanted = {.place = (uint32_t)number, .physical = physical};

    return helds_count == 0 ? NULL
                            : bsearch(&wanted, helds, helds_count, sizeof(*helds), compare_helds);
}

/* --- Mappings. --- */

static uint64_t page_of(uint64_t address)
{
    return address & ~(uint64_t)(PAGE - 1);
}

/* Returns the last byte of the place. */
static uint64_t end_of(const struct blamed_place *place)
{
    return place->address + place->length - 1;
}

int writes_map(const struct blamed_place *places, size_t count, const struct wire_mapping *mapping,
               struct refusal *why)
{
    if (picked || mapping->virtual % PAGE || mapping->physical % PAGE ||
        mapping->physical >= PHYSICAL_END)
        return refuse(why, EINVAL, "the plugin's mapping of 0x%llx is invalid",
                      (unsigned long long)mapping->virtual);
    for (size_t i = 0; i < count; i++) {
        int error;

        if (mapping->virtual < page_of(places[i].address) ||
            mapping->virtual > page_of(end_of(&places[i])))
            continue;
        error = array_grow(&mappings, &mappings_room, mappings_count + 1, sizeof(*mappings),
                           "mappings", why);
        if (!error)
            mappings[mappings_count++] = *mapping;
        return error;
    }
    return 0;
}

/* By virtual page, the latest first. */
static int compare_mappings(const void *left, const void *right)
{
    const struct wire_mapping *a = left, *b = right;

    if (a->virtual != b->virtual)
        return a->virtual < b->virtual ? -1 : 1;
    return a->seen > b->seen ? -1 : a->seen < b->seen;
}

/* Returns the first mapping of a virtual page, of those after writes_sort, and how many it has. */
static const struct wire_mapping *find_layers(uint64_t virtual, size_t *count)
{
    size_t first = ARRAY_BELOW(mappings, mappings_count, virtual, virtual);

    assert(first == mappings_count || mappings[first].virtual >= virtual);
    for (*count = 0; first + *count < mappings_count; ++*count)
        if (mappings[first + *count].virtual != virtual)
            break;
    return mappings + first;
}

size_t writes_layers(uint64_t address)
{
    size_t count;

    find_layers(page_of(address), &count);
    return count;
}

/* --- The last writers of all memory. --- */

/* A word's bytes from `first` to `last`, with `count`, but only those between two others. */
struct part {
    const struct wire_word *word;
    size_t order;        /* the same for all of a record */
    size_t number;       /* of the place */
    uint64_t begin, end; /* of the place in this page */
    uint64_t first, last, count;
};

static int pick(const struct part *part, struct refusal *why)
{
    uint64_t first = part->first > part->begin ? part->first : part->begin;
    uint64_t last = part->last < part->end ? part->last : part->end;
    struct wire_word word = *part->word;

    assert(part->begin <= part->end && part->end / PAGE == part->begin / PAGE);
    if (part->first > part->last || first > last)
        return 0;
    word.place = (uint32_t)part->number;
    word.address += word.address == UINT64_MAX ? 0 : first - word.physical;
    word.physical = first;
    word.length = (uint32_t)(last - first + 1);
    word.count = part->count;
    return add(&word, part->order, why);
}

/* Picks each write of a run on its own. */
static int pick_run(struct part part, struct refusal *why)
{
    const struct wire_word *word = part.word;
    struct wire_word one = *word;
    uint64_t end = one.physical + one.length - 1; /* of the last write */
    int error = 0;

    part.word = &one;
    for (uint64_t first = one.physical; first <= end && !error; first = part.last + 1) {
        uint64_t later = (end - first) / one.unit;

        part.first = first;
        part.last = end - later * one.unit;
        if (part.last < part.begin || part.first > part.end)
            continue;
        one.time = word->time - later * word->step;
        error = pick(&part, why);
    }
    return error;
}

/* `self`: the word, in a page of a place. */
static int pick_for(struct part self, struct refusal *why)
{
    const struct wire_word *word = self.word;
    uint64_t first = word->physical, last = first + word->length - 1;
    struct part before = self, after = self;
    int error;

    before.first = first - first % GRANULE;
    before.last = first - 1;
    after.first = last + 1;
    after.last = last | (GRANULE - 1);
    self.first = first;
    self.last = last;
    self.count = word->count;
    error = first % GRANULE ? pick(&before, why) : 0;

    if (!error)
        error = word->unit ? pick_run(self, why) : pick(&self, why);
    return error ? error : pick(&after, why);
}

static int compare_physical(const void *left, const void *right)
{
    const struct wire_mapping *a = left, *b = right;

    return a->physical < b->physical ? -1 : a->physical > b->physical;
}

/* Returns the first of the mappings, sorted so, that is not below a physical page. */
static size_t find_physical(uint64_t physical)
{
    if (!picked && mappings_count > 0)
        qsort(mappings, mappings_count, sizeof(*mappings), compare_physical);
    picked = true;
    return ARRAY_BELOW(mappings, mappings_count, physical, physical);
}

int writes_pick(const struct blamed_place *places, size_t count, const struct wire_word *word,
                struct refusal *why)
{
    static size_t order;
    uint64_t physical = page_of(word->physical);
    int error = check(word, why);

    for (size_t i = find_physical(physical); i < mappings_count && !error; i++) {
        uint64_t virtual = mappings[i].virtual;

        if (mappings[i].physical != physical)
            break;
        for (size_t number = 0; number < count && !error; number++) {
            uint64_t begin = places[number].address, end = end_of(&places[number]);

            if (virtual < page_of(begin) || virtual > page_of(end))
                continue;
            begin = begin > virtual ? begin : virtual;
            end = end - virtual < PAGE ? end : virtual + (PAGE - 1);
            error = pick_for((struct part){.word = word,
                                           .order = order,
                                           .number = number,
                                           .begin = begin - virtual + physical,
                                           .end = end - virtual + physical},
                             why);
        }
    }
    order++;
    return error;
}

/* --- The end. --- */

static int compare(const void *left, const void *right)
{
    const struct written *a = left, *b = right;

    if (a->word.place != b->word.place)
        return a->word.place < b->word.place ? -1 : 1;
    if (picked && a->word.physical != b->word.physical)
        return a->word.physical < b->word.physical ? -1 : 1;
    if (a->word.physical / WORD != b->word.physical / WORD)
        return a->word.physical < b->word.physical ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Several pages of a place may be the same memory; then it has the same last writer twice. */
static int check_last(struct refusal *why)
{
    const struct written *farthest = written;
    uint64_t end = 0;

    for (const struct written *next = written; next < written + written_count; next++) {
        if (next->word.place != farthest->word.place)
            end = 0;
        if (next->word.physical < end && next->order != farthest->order)
            return refuse(why, EINVAL,
                          "the plugin's two last writers of physical 0x%llx are invalid",
                          (unsigned long long)next->word.physical);
        if (next->word.physical + next->word.length > end) {
            end = next->word.physical + next->word.length;
            farthest = next;
        }
    }
    return 0;
}

int writes_sort(const uint64_t clocks[WRITES_CPUS], struct refusal *why)
{
    if (mappings_count > 0)
        qsort(mappings, mappings_count, sizeof(*mappings), compare_mappings);
    if (written_count > 0)
        qsort(written, written_count, sizeof(*written), compare);
    if (helds_count > 0)
        qsort(helds, helds_count, sizeof(*helds), compare_helds);
    for (size_t i = 0; i < written_count; i++) {
        const struct wire_word *word = &written[i].word;

        if (word->time > clocks[word->head.cpu])
            return refuse(why, EINVAL,
                          "the plugin's write by CPU %u, after %llu of its %llu instructions, is "
                          "invalid",
                          word->head.cpu, (unsigned long long)word->time,
                          (unsigned long long)clocks[word->head.cpu]);
    }
    return picked ? check_last(why) : 0;
}

/* Returns the first word of a place that ends behind a physical address. */
static size_t find_word(size_t number, uint64_t physical)
{
    size_t first = 0, end = written_count;

    while (first < end) {
        size_t middle = first + (end - first) / 2;
        const struct wire_word *word = &written[middle].word;
        uint64_t word_end =
            picked ? word->physical + word->length - 1 : word->physical | (WORD - 1);

        if (word->place < number || (word->place == number && word_end < physical))
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

/* The group's writes, of histories of words: those that have a byte of it. */
static size_t count_history(size_t at, size_t number, uint64_t last)
{
    size_t count = 0;

    while (at + count < written_count && written[at + count].word.place == number &&
           written[at + count].word.physical <= last)
        count++;
    return count;
}

struct group writes_group(size_t number, size_t layer, uint64_t first, uint64_t end)
{
    struct group group = {.first = first, .last = first | (PAGE - 1)};
    size_t layers, at;
    uint64_t behind;
    const struct wire_mapping *mapping = find_layers(page_of(first), &layers) + layer;
    const struct written *next;

    if (group.last > end)
        group.last = end;
    group.word_last = group.last;
    if (layer >= layers)
        return group;
    group.mapped = true;
    group.shift = mapping->physical - mapping->virtual;
    at = find_word(number, first + group.shift);
    next = at < written_count && written[at].word.place == number &&
                   written[at].word.physical <= group.last + group.shift
               ? &written[at]
               : NULL;
    group.writes = next;
    if (!picked) {
        if ((first | (WORD - 1)) < group.last)
            group.last = first | (WORD - 1);
        group.held = find_held(number, first + group.shift);
        group.count = count_history(at, number, group.last + group.shift);
    } else if (next && next->word.physical <= first + group.shift) {
        behind = next->word.physical + next->word.length - group.shift;
        group.last = behind - 1 < group.last ? behind - 1 : group.last;
        group.count = 1;
    } else if (next) {
        group.last = next->word.physical - 1 - group.shift;
    }
    group.word_last = group.last;
    return group;
}

bool writes_whole(const struct group *group, const struct wire_word *write)
{
    return write->physical == group->first + group->shift &&
           write->physical + write->length - 1 == group->word_last + group->shift;
}
