/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See map.h. Functions are decoded from their first byte to their last, in a row; whatever is
 * wrong with that (data in between, a size that is not the function's) shows as a symbol or a jump
 * into the middle of an instruction, an instruction across an end, or bytes that are none.
 */
#include "tools/insnmap/map.h"

#include "tools/insnmap/decode.h"

#define FILL_ZERO 0x00 /* where the linker script moves on */

/* Not a code: what no function has covered yet. */
#define UNSEEN 0xff

static bool wrong_at(const struct text *text, uint32_t offset, const char *what)
{
    return image_complain(text->image, "%s: %s", text_describe(text, offset).words, what);
}

/* An alias of what has been decoded is decoded again, and must come out the same. */
static bool put(const struct text *text, uint8_t *codes, uint32_t offset, uint8_t code)
{
    if (codes[offset] != UNSEEN && codes[offset] != code)
        return wrong_at(text, offset, "two functions that overlap do not agree on instructions");
    codes[offset] = code;
    return true;
}

static bool map_function(const struct text *text, uint8_t *codes, uint32_t start, uint32_t end)
{
    struct decoded decoded;

    for (uint32_t at = start; at < end; at += decoded.length) {
        const char *wrong = decode(text->bytes + at, text->size - at, &decoded);

        if (wrong)
            return wrong_at(text, at, wrong);
        if (decoded.length > end - at)
            return wrong_at(text, at, "an instruction reaches over the end of its function");
        for (uint32_t i = 0; i < decoded.length; i++)
            if (!put(text, codes, at + i, i == 0 ? decoded.code : INSN_INSIDE))
                return false;
    }
    return true;
}

static bool map_functions(const struct text *text, uint8_t *codes)
{
    for (size_t i = 0; i < text->symbol_count; i++) {
        const struct text_symbol *symbol = &text->symbols[i];

        if (symbol->function &&
            !map_function(text, codes, symbol->offset, symbol->offset + symbol->size))
            return false;
    }
    return true;
}

/* Bytes of padding that begin here; 0: it is none. */
static uint32_t padding_length(const struct text *text, uint32_t offset)
{
    struct decoded decoded;

    if (text->bytes[offset] == FILL_ZERO)
        return 1;
    if (decode(text->bytes + offset, text->size - offset, &decoded) || !decoded.padding)
        return 0;
    return decoded.length;
}

/* Each byte between functions is one that nothing runs into. */
static bool map_padding(const struct text *text, uint8_t *codes)
{
    for (uint32_t at = 0; at < text->size;) {
        uint32_t length = codes[at] == UNSEEN ? padding_length(text, at) : 1;

        if (length == 0)
            return wrong_at(text, at, "neither padding nor in a function that has a size");
        for (; length > 0; length--, at++)
            if (codes[at] == UNSEEN)
                codes[at] = INSN_PLAIN;
            else if (length > 1)
                return wrong_at(text, at, "padding reaches into a function");
    }
    return true;
}

static bool check_symbols(const struct text *text, const uint8_t *codes)
{
    for (size_t i = 0; i < text->symbol_count; i++)
        if (codes[text->symbols[i].offset] == INSN_INSIDE)
            return wrong_at(text, text->symbols[i].offset,
                            "a symbol inside an instruction: what stands before it is no code, or "
                            "no size was given");
    return true;
}

static bool check_jumps(const struct text *text, const uint8_t *codes)
{
    struct decoded decoded;

    for (uint32_t at = 0; at < text->size; at++) {
        if (codes[at] == INSN_INSIDE || decode(text->bytes + at, text->size - at, &decoded) ||
            !decoded.has_target)
            continue;
        uint64_t target = at + (uint64_t)decoded.target;
        if (target < text->size && codes[target] == INSN_INSIDE)
            return wrong_at(text, at, "a jump into the middle of an instruction");
    }
    return true;
}

bool map_make(const struct text *text, uint8_t *codes)
{
    for (uint32_t i = 0; i < text->size; i++)
        codes[i] = UNSEEN;
    return map_functions(text, codes) && map_padding(text, codes) && check_symbols(text, codes) &&
           check_jumps(text, codes);
}
