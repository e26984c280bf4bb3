/* SPDX-License-Identifier: BSD-2-Clause */
/* See code.h. */
#include "outside/plugin/code.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "outside/plugin/tell.h"

#define PARTS_MOST      32
#define PAGE            4096
#define VOTER_LEAST     16 /* least bytes of a block that votes on the slide */
#define VOTES_MOVED     4  /* blocks that must agree on a slide */
#define VOTES_IN_PLACE  16 /* ... that the kernel did not move, which ends the search */
#define CANDIDATES_MOST 64
#define BEGIN_LEAST     8  /* least bytes of a first block: shorter ones may be a boot loader's */
#define JUDGED_LEAST    4  /* least instructions of a block that is judged */
#define BUILD_BLOCKS    64 /* judged blocks needed for a verdict */
#define BUILD_PART      8  /* it is another build if more than one block in this many differs */

#define SEEN_BLOCK 1 /* a block that begins here was judged */
#define SEEN_PLACE 2 /* the instruction here is patched */

static struct part {
    uint64_t address, size;
    uint8_t *bytes, *seen; /* seen: SEEN_... of each byte */
} parts[PARTS_MOST];

static struct candidate {
    uint64_t slide;
    unsigned votes;
    uint64_t voters[VOTES_IN_PLACE];
} candidates[CANDIDATES_MOST] = {{.slide = 0}}; /* the first one: the kernel did not move */

static unsigned part_count, candidate_count = 1;
static uint64_t text_first, text_last = UINT64_MAX, slide;
static bool settled; /* the slide is known */
static bool begun;   /* a block has matched the file */
static bool strange;
static uint64_t blocks, different_blocks, places;

/* --- Arguments --- */

static bool read_part(struct part *part, int file, uint64_t offset)
{
    part->bytes = malloc(part->size);
    part->seen = calloc(1, part->size);
    for (uint64_t done = 0; part->bytes && done < part->size;) {
        ssize_t count = pread(file, part->bytes + done, part->size - done, (off_t)(offset + done));

        if (count <= 0)
            return false;
        done += (uint64_t)count;
    }
    return part->bytes && part->seen;
}

bool code_add(const char *argument)
{
    struct part *part = &parts[part_count];
    uint64_t offset;
    int file;

    if (sscanf(argument, "text=%" SCNx64 ":%" SCNx64, &text_first, &text_last) == 2)
        return true;
    if (part_count == PARTS_MOST ||
        sscanf(argument, "code=%d:%" SCNx64 ":%" SCNx64 ":%" SCNx64, &file, &part->address, &offset,
               &part->size) != 4 ||
        part->size == 0 || !read_part(part, file, offset))
        return false;
    part_count++;
    return true;
}

/* --- Comparison --- */

/*
 * Returns the size of a field here that the slide has changed, or 0. `left` bytes of the
 * instruction remain.
 */
static size_t moved_field(const uint8_t *file, const uint8_t *run, size_t left, uint64_t by)
{
    uint64_t was_long, is_long;
    uint32_t was, is;

    if (left >= sizeof(is_long)) {
        memcpy(&was_long, file, sizeof(was_long));
        memcpy(&is_long, run, sizeof(is_long));
        if (is_long - was_long == by || was_long - is_long == by)
            return sizeof(is_long);
    }
    if (left < sizeof(is))
        return 0;
    memcpy(&was, file, sizeof(was));
    memcpy(&is, run, sizeof(is));
    return is - was == (uint32_t)by || was - is == (uint32_t)by ? sizeof(is) : 0;
}

/*
 * True if an instruction is the file's, apart from fields that the slide has changed. Such a field
 * may begin before the first difference, because a slide of whole pages keeps its low bytes.
 */
static bool is_same(const uint8_t *file, const uint8_t *run, size_t size, uint64_t by)
{
    size_t done = 0;

    while (done < size) {
        size_t at = done, from, field = 0;

        while (at < size && file[at] == run[at])
            at++;
        if (at == size)
            return true;
        from = at - done > 7 ? at - 7 : done;
        while (by && from <= at && !(field = moved_field(file + from, run + from, size - from, by)))
            from++;
        if (field == 0 || from + field <= at)
            return false;
        done = from + field;
    }
    return true;
}

static size_t count_different(const struct code_block *block, const uint8_t *file, uint64_t by,
                              size_t enough)
{
    const uint8_t *run = block->bytes;
    size_t count = 0;

    for (size_t i = 0; i < block->count && count < enough; i++) {
        count += !is_same(file, run, block->sizes[i], by);
        file += block->sizes[i];
        run += block->sizes[i];
    }
    return count;
}

static struct part *part_of(uint64_t address, size_t size)
{
    for (struct part *part = parts; part < parts + part_count; part++)
        if (address - part->address < part->size && size <= part->size - (address - part->address))
            return part;
    return NULL;
}

/* No boot loader runs in the high half: all code there is the kernel's. */
static bool is_high(void)
{
    return text_first >> 63;
}

/* --- The slide --- */

/* Stores the slide at which the block matches the file; false unless there is exactly one. */
static bool find_slide(const struct code_block *block, uint64_t *found)
{
    unsigned count = 0;

    for (const struct part *part = parts; part < parts + part_count; part++) {
        uint64_t at = (block->start - part->address) % PAGE;

        if (part->address >> 63 > block->start >> 63)
            continue;
        for (; at < part->size && block->size <= part->size - at; at += PAGE) {
            uint64_t by = block->start - part->address - at;

            if (count_different(block, part->bytes + at, by, 1) > 0)
                continue;
            *found = by;
            if (++count > 1)
                return false;
        }
    }
    return count == 1;
}

static struct candidate *candidate_of(uint64_t by)
{
    for (unsigned i = 0; i < candidate_count; i++)
        if (candidates[i].slide == by)
            return &candidates[i];
    if (candidate_count == CANDIDATES_MOST)
        return NULL;
    candidates[candidate_count].slide = by;
    return &candidates[candidate_count++];
}

static void settle(uint64_t by)
{
    settled = true;
    if (by == 0)
        return;
    slide = by;
    blocks = different_blocks = places = 0;
    code_slid(by);
    tell_number(WIRE_SLIDE, 0, by);
}

static void vote(uint64_t start, uint64_t by)
{
    struct candidate *candidate = candidate_of(by);

    if (!candidate)
        return;
    for (unsigned i = 0; i < candidate->votes; i++)
        if (candidate->voters[i] == start)
            return;
    candidate->voters[candidate->votes++] = start;
    if (candidate->votes >= (by ? VOTES_MOVED : VOTES_IN_PLACE) &&
        (by == 0 || candidate->votes > candidates[0].votes))
        settle(by);
}

/* --- The build --- */

static void note_places(const struct code_block *block, struct part *part, uint64_t at)
{
    const uint8_t *run = block->bytes;

    for (size_t i = 0; i < block->count; i++) {
        if (!(part->seen[at] & SEEN_PLACE) &&
            !is_same(part->bytes + at, run, block->sizes[i], slide)) {
            part->seen[at] |= SEEN_PLACE;
            places++;
        }
        at += block->sizes[i];
        run += block->sizes[i];
    }
}

static bool is_strange(void)
{
    return blocks >= BUILD_BLOCKS && different_blocks > blocks / BUILD_PART && (begun || is_high());
}

static void judge(const struct code_block *block, struct part *part, size_t different)
{
    uint64_t at = block->start - slide - part->address;

    if (different > 0 && begun)
        note_places(block, part, at);
    if (block->count < JUDGED_LEAST || part->seen[at] & SEEN_BLOCK)
        return;
    part->seen[at] |= SEEN_BLOCK;
    blocks++;
    different_blocks += different > block->count / 2;
    if (!strange && is_strange()) {
        strange = true;
        tell_strange(different_blocks, blocks);
    }
}

/* --- The whole check --- */

bool code_check(const struct code_block *block, uint64_t *lies)
{
    struct part *part = part_of(block->start - slide, block->size);
    const uint8_t *file = part ? part->bytes + (block->start - slide - part->address) : NULL;
    size_t different = file ? count_different(block, file, slide, block->count) : 0;
    uint64_t found;

    *lies = slide;
    if (part_count == 0)
        return block->start >= text_first && block->start <= text_last;
    if (file && different == 0 && !begun && !is_high() && block->size < BEGIN_LEAST)
        return false;
    if (file && different == 0) {
        if (!begun)
            blocks = different_blocks = 0; /* earlier blocks were the boot loader's */
        begun = true;
        if (!settled && block->size >= VOTER_LEAST)
            vote(block->start, 0);
    } else if (!settled && block->size >= VOTER_LEAST && find_slide(block, &found)) {
        vote(block->start, *lies = found);
        begun = begun || slide == found;
        return slide == found || is_high();
    }
    if (part)
        judge(block, part, different);
    return file && different == 0;
}

void code_reset(void)
{
    begun = false;
    blocks = different_blocks = 0;
}

void code_end(void)
{
    if (!strange && !begun && different_blocks >= BUILD_BLOCKS)
        tell_strange(different_blocks, blocks);
    else if (!strange && places > 0)
        tell_number(WIRE_PATCHED, 0, places);
}
