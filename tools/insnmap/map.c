/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See map.h. Decodes functions from their first byte to their last. Unexpected bytes (data in
 * between, a wrong size) show as a fault: a symbol or jump into the middle of an instruction, an
 * instruction across a function's end, or bytes that are no instruction.
 */
#include "tools/insnmap/map.h"

#include <string.h>

#define FILL_ZERO 0x00 /* fill byte of the linker script */

/* These are not codes: they mark bytes not yet in a function, and bytes left out. */
#define UNSEEN   0xff
#define LEFT_OUT 0xfe

/* A fault and its place; for a jump, also its target, otherwise the place again. */
struct fault {
    const char *what;
    uint32_t offset, target;
};

struct map {
    const struct text *text;
    uint8_t *codes;
    struct fault fault;
};

/* Stores the fault. Always returns false, so that a check reads `return wrong_at(...)`. */
static bool wrong_at(struct map *map, uint32_t offset, const char *what)
{
    map->fault = (struct fault){.what = what, .offset = offset, .target = offset};
    return false;
}

/* Stores the code of a byte. An alias of a function is decoded again, with the same result. */
static bool put(struct map *map, uint32_t offset, uint8_t code)
{
    if (map->codes[offset] != UNSEEN && map->codes[offset] != code)
        return wrong_at(map, offset, "two functions that overlap do not agree on instructions");
    map->codes[offset] = code;
    return true;
}

static bool map_function(struct map *map, uint32_t start, uint32_t end)
{
    const struct text *text = map->text;
    struct decoded decoded;

    for (uint32_t at = start; at < end; at += decoded.length) {
        const char *wrong = decode(text->bytes + at, text->size - at, &decoded);

        if (wrong)
            return wrong_at(map, at, wrong);
        if (decoded.length > end - at)
            return wrong_at(map, at, "an instruction reaches over the end of its function");
        for (uint32_t i = 0; i < decoded.length; i++)
            if (!put(map, at + i, i == 0 ? decoded.code : INSN_INSIDE))
                return false;
    }
    return true;
}

static bool map_functions(struct map *map)
{
    for (size_t i = 0; i < map->text->symbol_count; i++) {
        const struct text_symbol *symbol = &map->text->symbols[i];

        if (symbol->function && map->codes[symbol->offset] != LEFT_OUT &&
            !map_function(map, symbol->offset, symbol->offset + symbol->size))
            return false;
    }
    return true;
}

/* Returns the length of the padding here, or 0. */
static uint32_t padding_length(const struct text *text, uint32_t offset)
{
    struct decoded decoded;

    if (text->bytes[offset] == FILL_ZERO)
        return 1;
    if (decode(text->bytes + offset, text->size - offset, &decoded) || !decoded.padding)
        return 0;
    return decoded.length;
}

/* Maps the bytes between functions, which must be padding. */
static bool map_padding(struct map *map)
{
    for (uint32_t at = 0; at < map->text->size; at++) {
        uint32_t length = map->codes[at] == UNSEEN ? padding_length(map->text, at) : 1;

        if (length == 0)
            return wrong_at(map, at, "neither padding nor in a function that has a size");
        for (uint32_t i = 1; i < length; i++)
            if (map->codes[at + i] != UNSEEN)
                return wrong_at(map, at, "padding reaches into a function");
        if (map->codes[at] != UNSEEN)
            continue;
        memset(map->codes + at, INSN_PLAIN, length);
        at += length - 1;
    }
    return true;
}

static bool check_symbols(struct map *map)
{
    const struct text *text = map->text;

    for (size_t i = 0; i < text->symbol_count; i++)
        if (map->codes[text->symbols[i].offset] == INSN_INSIDE)
            return wrong_at(map, text->symbols[i].offset,
                            "a symbol inside an instruction: what stands before it is no code, or "
                            "no size was given");
    return true;
}

static bool check_jumps(struct map *map)
{
    const struct text *text = map->text;
    struct decoded decoded;

    for (uint32_t at = 0; at < text->size; at++) {
        if (map->codes[at] == INSN_INSIDE || map->codes[at] == LEFT_OUT ||
            decode(text->bytes + at, text->size - at, &decoded) || !decoded.has_target)
            continue;
        uint64_t target = at + (uint64_t)decoded.target;
        if (target < text->size && map->codes[target] == INSN_INSIDE) {
            wrong_at(map, at, "a jump into the middle of an instruction");
            map->fault.target = (uint32_t)target;
            return false;
        }
    }
    return true;
}

/* Maps the whole text, except what is left out. */
static bool map_all(struct map *map)
{
    for (uint32_t i = 0; i < map->text->size; i++)
        if (map->codes[i] != LEFT_OUT)
            map->codes[i] = UNSEEN;
    return map_functions(map) && map_padding(map) && check_symbols(map) && check_jumps(map);
}

/*
 * Finds the range of the first function that contains the place, or of the gap from the place to
 * the next function.
 */
static void find_range(const struct text *text, uint32_t place, uint32_t *start, uint32_t *end)
{
    *start = place;
    *end = text->size;
    for (size_t i = 0; i < text->symbol_count; i++) {
        const struct text_symbol *symbol = &text->symbols[i];

        if (!symbol->function || symbol->size == 0 || symbol->offset + symbol->size <= place)
            continue;
        *end = symbol->offset > place ? symbol->offset : symbol->offset + symbol->size;
        *start = symbol->offset > place ? place : symbol->offset;
        return;
    }
}

/*
 * Extends the range by overlapping functions, such as aliases. Returns true if the range has grown.
 */
static bool widen_range(const struct text *text, uint32_t *start, uint32_t *end)
{
    bool grown = false;

    for (size_t i = 0; i < text->symbol_count; i++) {
        const struct text_symbol *symbol = &text->symbols[i];
        uint32_t behind = symbol->offset + symbol->size;

        if (!symbol->function || symbol->offset >= *end || behind <= *start)
            continue;
        grown |= symbol->offset < *start || behind > *end;
        *start = symbol->offset < *start ? symbol->offset : *start;
        *end = behind > *end ? behind : *end;
    }
    return grown;
}

static void leave_out(struct map *map, uint32_t place)
{
    uint32_t start, end;

    find_range(map->text, place, &start, &end);
    while (widen_range(map->text, &start, &end)) {
    }
    memset(map->codes + start, LEFT_OUT, end - start);
}

/* Makes bytes that were left out plain. Returns their number. */
static uint32_t settle(const struct map *map)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < map->text->size; i++)
        if (map->codes[i] == LEFT_OUT) {
            map->codes[i] = INSN_PLAIN;
            count++;
        }
    return count;
}

bool map_make(const struct text *text, uint8_t *codes, bool gaps)
{
    struct map map = {.text = text, .codes = codes};
    unsigned faults = 0;

    memset(codes, UNSEEN, text->size);
    for (; !map_all(&map); faults++) {
        image_complain(text->image, "%s: %s%s", text_describe(text, map.fault.offset).words,
                       map.fault.what, gaps ? ": left out" : "");
        if (!gaps)
            return false;
        leave_out(&map, map.fault.offset);
        leave_out(&map, map.fault.target);
    }
    uint32_t left_out = settle(&map);
    if (faults)
        image_complain(text->image, "of %u bytes %u are left out, for %u faults", text->size,
                       left_out, faults);
    return true;
}
