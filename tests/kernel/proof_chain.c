/* SPDX-License-Identifier: BSD-2-Clause */
/* See proof_chain.h. */
#include "tests/kernel/proof_chain.h"

#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/symbols/symbols.h"

static size_t find(const uint64_t *chain, size_t length, size_t from, uint64_t address)
{
    while (from < length && chain[from] != address)
        from++;
    return from;
}

/*
 * Compares both; where they differ, the shortest way to agreement decides whether frames are
 * missing or too many.
 */
static void tally_frames(struct chain_tally *tally, const uint64_t *is, size_t is_length,
                         const uint64_t *should_be, size_t length)
{
    size_t i = 0, j = 0;

    while (i < is_length && j < length) {
        size_t again_is = find(is, is_length, i, should_be[j]);
        size_t again_should = find(should_be, length, j, is[i]);

        if (again_should < length && again_should - j <= again_is - i) {
            tally->missing += again_should - j;
            j = again_should + 1;
            i++;
        } else if (again_is < is_length) {
            tally->extra += again_is - i;
            i = again_is + 1;
            j++;
        } else {
            tally->other++;
            i++;
            j++;
        }
    }
    tally->missing += length - j;
    tally->extra += is_length - i;
}

static void note_place(struct chain_tally *tally, const uint64_t *is, size_t is_length,
                       const uint64_t *should_be, size_t length)
{
    struct chain_place *place = &tally->places[tally->place_count];

    if (tally->place_count == PLACES_MOST)
        return;
    for (size_t i = 0; i < tally->place_count; i++)
        if (tally->places[i].should_be[0] == should_be[0])
            return;
    tally->place_count++;
    place->is_length = is_length < PLACE_FRAMES ? is_length : PLACE_FRAMES;
    place->should_be_length = length < PLACE_FRAMES ? length : PLACE_FRAMES;
    memcpy(place->is, is, place->is_length * sizeof(is[0]));
    memcpy(place->should_be, should_be, place->should_be_length * sizeof(is[0]));
}

bool chain_check_iterator(struct chain_tally *tally, enum unwind_method method,
                          const struct regs *regs, const uint64_t *should_be, size_t length)
{
    struct unwind state;
    size_t at = 0;

    tally->iterated++;
    unwind_start_by(method, &state, regs);
    for (; !unwind_done(&state); unwind_next(&state), at++)
        if (at >= length || should_be[at] != state.ip)
            break;
    if (at == length && unwind_is_whole(&state))
        return true;
    tally->iterated_wrong++;
    return false;
}

bool chain_check(struct chain_tally *tally, enum unwind_method method, const struct regs *regs,
                 const uint64_t *should_be, size_t length)
{
    static uint64_t is[CHAIN_MOST];
    size_t is_length = unwind_capture_by(method, regs, 0, is, CHAIN_MOST);

    tally->checked++;
    if (is_length == length && memcmp(is, should_be, length * sizeof(is[0])) == 0)
        return true;
    tally->wrong++;
    tally_frames(tally, is, is_length, should_be, length);
    note_place(tally, is, is_length, should_be, length);
    return false;
}

/* ff /2 of exactly this length: Intel SDM vol. 2, "ModR/M and SIB Bytes". */
static bool is_indirect_call(const uint8_t *code, int length)
{
    static const int displacements[] = {0, 1, 4, 0};
    unsigned mode = code[1] >> 6, memory = code[1] & 7;
    bool has_sib = mode != 3 && memory == 4;
    bool has_base = mode != 0 || (memory != 5 && !(has_sib && (code[2] & 7) == 5));

    return code[0] == 0xff && (code[1] & 0x38) == 0x10 &&
           length == 2 + has_sib + (has_base ? displacements[mode] : 4);
}

static bool calls(uintptr_t return_address, uintptr_t callee)
{
    const uint8_t *code = (const uint8_t *)return_address;
    struct symbol function;
    int32_t distance;

    if (code[-5] == 0xe8 && symbols_find_address(callee, &function)) {
        memcpy(&distance, code - 4, sizeof(distance));
        if (return_address + (uintptr_t)(intptr_t)distance == function.address)
            return true;
    }
    for (int length = 2; length <= 7; length++)
        if (is_indirect_call(code - length, length))
            return true;
    return false;
}

bool chain_is_called(const uint64_t *chain, size_t length)
{
    for (size_t i = 1; i < length; i++)
        if (!calls(chain[i], chain[i - 1] - (i > 1)))
            return false;
    return length > 0;
}

static void print_frames(const char *what, const uint64_t *chain, size_t length)
{
    char text[80];

    print("#     %s", what);
    for (size_t i = 0; i < length; i++)
        print("%s%s", i ? " < " : " ", symbols_describe(chain[i], text, sizeof(text)));
    print("\n");
}

void chain_print_places(const struct chain_tally *tally)
{
    for (size_t i = 0; i < tally->place_count; i++) {
        const struct chain_place *place = &tally->places[i];

        print_frames("is", place->is, place->is_length);
        print_frames("should be", place->should_be, place->should_be_length);
    }
}
