/* SPDX-License-Identifier: BSD-2-Clause */
/* See writes.h. */
#include "outside/pitot/writes.h"

#include "outside/pitot/array.h"
#include "outside/pitot/contexts.h"

#define WORD    8u
#define GRANULE 4u /* as in outside/plugin/shadow.h */

static struct wire_word *words;
static size_t words_count, words_room;
static bool picked; /* each write is the last of its bytes; otherwise they are histories of words */

static int add(const struct wire_word *word, struct refusal *why)
{
    int error = array_grow(&words, &words_room, words_count + 1, sizeof(*words), "writes", why);

    if (!error)
        words[words_count++] = *word;
    return error;
}

static int check(const struct wire_word *word, struct refusal *why)
{
    if (word->head.cpu < WRITES_CPUS && word->length > 0 &&
        word->length - 1 <= UINT64_MAX - word->address && contexts_depth(word->context) >= 0)
        return 0;
    return refuse(why, EINVAL, "the plugin's write by CPU %u in context %u is invalid",
                  word->head.cpu, word->context);
}

int writes_add(const struct wire_word *word, struct refusal *why)
{
    int error = check(word, why);

    return error ? error : add(word, why);
}

/* Adds a write of those bytes from `first` to `last` that are in the place. */
static int pick(const struct place *place, size_t number, const struct wire_word *word,
                uint64_t first, uint64_t last, uint64_t count, struct refusal *why)
{
    uint64_t end = place->address + place->length - 1;
    struct wire_word part = *word;

    if (first > last || first > end || last < place->address)
        return 0;
    part.place = (uint32_t)number;
    part.address = first > place->address ? first : place->address;
    part.length = (uint32_t)((last < end ? last : end) - part.address + 1);
    part.count = count;
    return add(&part, why);
}

int writes_pick(const struct place *places, size_t count, const struct wire_word *word,
                struct refusal *why)
{
    uint64_t first = word->address, last = word->address + word->length - 1;
    uint64_t begin = first - first % GRANULE, end = last | (GRANULE - 1);
    int error = check(word, why);

    picked = true;
    for (size_t i = 0; i < count && !error; i++) {
        if (places[i].address > end || places[i].address + places[i].length - 1 < begin)
            continue;
        if (first > begin)
            error = pick(&places[i], i, word, begin, first - 1, 0, why);
        if (!error)
            error = pick(&places[i], i, word, first, last, word->count, why);
        if (!error && last < end)
            error = pick(&places[i], i, word, last + 1, end, 0, why);
    }
    return error;
}

static int compare(const void *left, const void *right)
{
    const struct wire_word *a = left, *b = right;

    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return a->address < b->address ? -1 : a->address > b->address;
}

static bool overlap(const struct wire_word *word, const struct wire_word *next)
{
    return word->place == next->place && next->address - word->address < word->length;
}

int writes_sort(const uint64_t clocks[WRITES_CPUS], struct refusal *why)
{
    if (picked && words_count > 0)
        qsort(words, words_count, sizeof(*words), compare);
    for (size_t i = 0; i < words_count; i++) {
        const struct wire_word *word = &words[i];

        if (word->time > clocks[word->head.cpu])
            return refuse(why, EINVAL,
                          "the plugin's write by CPU %u, after %llu of its %llu instructions, is "
                          "invalid",
                          word->head.cpu, (unsigned long long)word->time,
                          (unsigned long long)clocks[word->head.cpu]);
        if (picked && i + 1 < words_count && overlap(word, &words[i + 1]))
            return refuse(why, EINVAL, "the plugin's two last writers of 0x%llx are invalid",
                          (unsigned long long)words[i + 1].address);
    }
    return 0;
}

struct group writes_group(size_t number, uint64_t first, uint64_t end, size_t *at)
{
    const struct wire_word *next = *at < words_count ? &words[*at] : NULL;
    struct group group = {.first = first, .last = end, .writes = next};

    if (next && next->place != number)
        next = NULL;
    if (picked && next && next->address == first) {
        group.last = first + next->length - 1;
        group.count = 1;
    } else if (picked && next) {
        group.last = next->address - 1;
    } else if (!picked) {
        if ((first | (WORD - 1)) < end)
            group.last = first | (WORD - 1);
        while (*at + group.count < words_count && words[*at + group.count].place == number &&
               words[*at + group.count].address <= group.last)
            group.count++;
    }
    group.word_last = group.last;
    *at += group.count;
    return group;
}

bool writes_whole(const struct group *group, const struct wire_word *write)
{
    return write->address == group->first && write->address + write->length - 1 == group->word_last;
}
