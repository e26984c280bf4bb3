/* SPDX-License-Identifier: BSD-2-Clause */
/* See code.h. */
#include "outside/plugin/code.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "outside/plugin/tell.h"

#define PAGE            4096
#define VOTER_LEAST     16         /* least bytes of a block that votes on the slide */
#define VOTES_MOVED     4          /* blocks that must agree on a slide */
#define VOTES_IN_PLACE  16         /* ... that the kernel did not move, which ends the votes */
#define SEARCHED_MOST   (1u << 20) /* places where a kernel in place is looked for */
#define CANDIDATES_MOST 64
#define NOT_FOUND_MOST  512
#define NOT_FOUND_BYTES 48 /* of each that are kept */
#define BEGIN_LEAST     8  /* least bytes of a first block: shorter ones may be a boot loader's */
#define JUDGED_LEAST    4  /* least instructions of a block that is judged */
#define BUILD_BLOCKS    64 /* judged blocks needed for a verdict */
#define END_BLOCKS      8  /* ... at the end, if most differ */
#define BUILD_PART      8  /* it is another build if more than one block in this many differs */

#define SEEN_BLOCK 1 /* a block that begins here was judged */
#define SEEN_PLACE 2 /* the instruction here is patched */

static struct part {
    uint64_t address, size;
    uint8_t *bytes, *seen; /* seen: SEEN_... of each byte */
} parts[CODE_MOST];

static struct candidate {
    uint64_t slide;
    unsigned votes;
    uint64_t voters[VOTES_IN_PLACE];
} candidates[CANDIDATES_MOST] = {{.slide = 0}}; /* the first one: the kernel did not move */

/* The last blocks of the upper half that are not the file's where it was thought to lie. */
static struct not_found {
    uint64_t start;
    size_t size;
    uint8_t bytes[NOT_FOUND_BYTES];
} not_found[NOT_FOUND_MOST];

static unsigned part_count, candidate_count = 1;
static uint64_t not_found_count;
static uint64_t text_first, text_last = UINT64_MAX, slide;
static uint64_t block_count;            /* of any code */
static bool settled;                    /* the slide is not looked for any more */
static uint64_t searched;               /* places compared since a block has matched in place */
static bool begun;                      /* a block has matched the file */
static bool ran;                        /* ... maybe before a reset */
static bool begun_high;                 /* ... that runs in the upper half */
static uint64_t unknown, unknown_first; /* blocks there that are not in the file, before one is */
static bool strange;
static uint64_t blocks, different_blocks, places;

/* --- The file --- */

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

bool code_begin(const struct request *request)
{
    assert(request->code_count <= CODE_MOST && request->text_first <= request->text_last);
    text_first = request->text_first;
    text_last = request->text_last;
    for (; part_count < request->code_count; part_count++) {
        const struct request_code *code = &request->code[part_count];
        struct part *part = &parts[part_count];

        assert(code->size > 0);
        part->address = code->address;
        part->size = code->size;
        if (!read_part(part, request->code_file, code->offset))
            return false;
    }
    return true;
}

/* --- Comparison --- */

static size_t count_different(const struct code_block *block, const uint8_t *file, uint64_t by,
                              size_t enough)
{
    const uint8_t *run = block->bytes;
    size_t count = 0;

    for (size_t i = 0; i < block->count && count < enough; i++) {
        count += !alike_instruction(file, run, block->sizes[i], by);
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

enum found { NOWHERE, LIKELY, CERTAIN };

/*
 * Looks for the block in the file, and stores the slide. Certain: the code around it is there, too;
 * likely: its page is, and this block is like one place alone.
 */
static enum found find_slide(const struct code_block *block, uint64_t *found)
{
    unsigned count = 0;
    bool page_alike = false;

    for (const struct part *part = parts; part < parts + part_count; part++) {
        uint64_t at = (block->start - part->address) % PAGE;

        if (part->address >> 63 > block->start >> 63)
            continue;
        for (; at < part->size && block->size <= part->size - at; at += PAGE) {
            uint64_t by = block->start - part->address - at;

            searched += begun;
            if (count_different(block, part->bytes + at, by, 1) > 0)
                continue;
            *found = by;
            if (block->host && alike_around(part->bytes, part->size, at, block->host, by))
                return CERTAIN;
            page_alike = !block->host || alike_page(part->bytes, part->size, at, block->host, by);
            count++;
        }
    }
    return count == 1 && page_alike && block->size >= VOTER_LEAST ? LIKELY : NOWHERE;
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

static void keep_not_found(const struct code_block *block)
{
    struct not_found *kept = &not_found[not_found_count % NOT_FOUND_MOST];

    if (block->start >> 63 == 0)
        return;
    kept->start = block->start;
    kept->size = 0;
    for (size_t i = 0; i < block->count && kept->size + block->sizes[i] <= NOT_FOUND_BYTES; i++)
        kept->size += block->sizes[i];
    memcpy(kept->bytes, block->bytes, kept->size);
    not_found_count++;
}

/*
 * True if no more blocks that have run where the file would lie differ from it than vote for that.
 * Else they are judged, unless the file is found elsewhere.
 */
static bool is_plausible(uint64_t by, unsigned votes)
{
    uint64_t different = 0;

    for (unsigned i = 0; i < NOT_FOUND_MOST && i < not_found_count; i++) {
        const struct not_found *kept = &not_found[i];
        const struct part *part = part_of(kept->start - by, kept->size);

        different += part && !alike_instruction(part->bytes + (kept->start - by - part->address),
                                                kept->bytes, kept->size, by);
    }
    if (different <= votes)
        return true;
    different_blocks = different;
    blocks = different + votes;
    return false;
}

/* Code that is not the file's runs in the upper half, where no boot loader runs. */
static void note_unknown(const struct code_block *block)
{
    if (block->start >> 63 == 0 || begun_high || block->count < JUDGED_LEAST)
        return;
    unknown_first = unknown ? unknown_first : block->start;
    if (++unknown == BUILD_BLOCKS)
        tell_unknown(unknown_first);
}

static void settle(uint64_t by)
{
    code_slid(by - slide);
    slide = by;
    blocks = different_blocks = places = 0;
    tell_number(WIRE_SLIDE, 0, by);
}

static void vote(uint64_t start, uint64_t by)
{
    struct candidate *candidate = candidate_of(by);

    if (!candidate || candidate->votes == VOTES_IN_PLACE)
        return;
    for (unsigned i = 0; i < candidate->votes; i++)
        if (candidate->voters[i] == start)
            return;
    candidate->voters[candidate->votes++] = start;
    if (by == 0 || candidate->votes < VOTES_MOVED || candidate->votes <= candidates[0].votes ||
        !is_plausible(by, candidate->votes))
        return;
    settle(by);
    tell_number(WIRE_LATE, 0, candidate->votes - 1);
}

/*
 * A kernel that runs in place copies pages, as those in which other CPUs begin: then votes count
 * only if memory cannot be read.
 */
static bool may_vote(const struct code_block *block)
{
    return candidates[0].votes < VOTES_IN_PLACE && !(begun && block->host);
}

/*
 * A kernel moves once; and once more if a loader has put it elsewhere, and it jumps to the upper
 * half, or to where it was linked. Code in its earlier place is not looked for: other CPUs may
 * begin there.
 */
static bool may_move(const struct code_block *block)
{
    bool linked = block->start >= text_first && block->start <= text_last;

    return !settled && (slide == 0 || linked || block->start >> 63 > (text_first + slide) >> 63);
}

/* Returns true if the block lies elsewhere in the file; then sets *lies, and *is_kernel. */
static bool is_elsewhere(const struct code_block *block, uint64_t *lies, bool *is_kernel)
{
    uint64_t found = 0;
    enum found how = find_slide(block, &found);

    settled = searched > SEARCHED_MOST;
    if (how == NOWHERE)
        keep_not_found(block);
    if (how == NOWHERE || (how == LIKELY && !may_vote(block)))
        return false;
    if (how == CERTAIN)
        settle(found);
    else
        vote(block->start, found);
    *lies = found;
    begun = begun || slide == found;
    *is_kernel = slide == found || is_high();
    return true;
}

/* --- The build --- */

static void note_places(const struct code_block *block, struct part *part, uint64_t at)
{
    const uint8_t *run = block->bytes;

    for (size_t i = 0; i < block->count; i++) {
        if (!(part->seen[at] & SEEN_PLACE) &&
            !alike_instruction(part->bytes + at, run, block->sizes[i], slide)) {
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

/*
 * At the end few blocks may have run. In the lower half they may be a boot loader's, if none is the
 * file's.
 */
static bool was_strange(void)
{
    return begun || is_high() ? blocks >= END_BLOCKS && different_blocks > blocks / 2
                              : different_blocks >= BUILD_BLOCKS;
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

static bool check(const struct code_block *block, uint64_t *lies)
{
    struct part *part = part_of(block->start - slide, block->size);
    const uint8_t *file = part ? part->bytes + (block->start - slide - part->address) : NULL;
    size_t different = file ? count_different(block, file, slide, block->count) : 0;
    bool is_kernel;

    if (file && different == 0 && !begun && !is_high() && block->size < BEGIN_LEAST)
        return false;
    if (file && different == 0) {
        if (!begun)
            blocks = different_blocks = 0; /* earlier blocks were the boot loader's */
        begun = true;
        if (slide == 0 && block->size >= VOTER_LEAST)
            vote(block->start, 0);
    } else if (may_move(block) && is_elsewhere(block, lies, &is_kernel)) {
        return is_kernel;
    }
    if (part && (begun || slide == 0)) /* else a reset may have moved the kernel */
        judge(block, part, different);
    else
        note_unknown(block);
    return file && different == 0;
}

bool code_check(const struct code_block *block, uint64_t *lies)
{
    bool is_kernel;

    assert(block->count <= CODE_BLOCK_MOST && block->size <= sizeof(block->bytes));
    block_count++;
    *lies = slide;
    is_kernel =
        part_count ? check(block, lies) : block->start >= text_first && block->start <= text_last;
    ran |= is_kernel;
    begun_high |= begun && is_kernel && block->start >> 63;
    return is_kernel;
}

uint64_t code_blocks(void)
{
    return block_count;
}

bool code_is_kernels(uint64_t ip)
{
    return ip >> 63 || (ip - slide >= text_first && ip - slide <= text_last);
}

bool code_has_run(void)
{
    return ran;
}

void code_reset(void)
{
    begun = begun_high = false;
    blocks = different_blocks = unknown = not_found_count = 0;
}

void code_end(void)
{
    if (unknown > 0 && unknown < BUILD_BLOCKS && !begun_high)
        tell_unknown(unknown_first);
    if (!strange && was_strange())
        tell_strange(different_blocks, blocks);
    else if (!strange && places > 0)
        tell_number(WIRE_PATCHED, 0, places);
}
