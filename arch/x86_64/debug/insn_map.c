/* SPDX-License-Identifier: BSD-2-Clause */
/* See accessor.h. */
#include "arch/x86_64/debug/accessor.h"

const char *insn_map_open(struct insn_map *map, const void *bytes, size_t room,
                          const struct insn_map_expected *expected)
{
    const struct insn_map_header *header = bytes;
    size_t needed;

    *map = (struct insn_map){.text_size = 0};
    if (room < sizeof(*header) || header->magic != INSN_MAP_MAGIC)
        return "no instruction map in the image: run tools/insnmap on it";
    if (header->version != INSN_MAP_VERSION)
        return "an instruction map of another version than this kernel reads";
    if (__builtin_memcmp(header->build_id, expected->build_id, INSN_MAP_BUILD_ID_SIZE) != 0)
        return "the instruction map is another build's: run tools/insnmap again";
    if (header->text != expected->text || header->text_size != expected->text_end - expected->text)
        return "the instruction map does not cover the kernel's text";
    needed =
        sizeof(*header) + ((size_t)header->text_size + INSN_MAP_PER_BYTE - 1) / INSN_MAP_PER_BYTE;
    if (header->size != needed || header->size > room)
        return "an instruction map whose size is not that of its text, or of its section";
    *map = (struct insn_map){.text = header->text,
                             .text_size = header->text_size,
                             .codes = (const uint8_t *)(header + 1)};
    return NULL;
}

enum insn_code insn_map_code(const struct insn_map *map, uintptr_t address)
{
    uintptr_t offset = address - map->text;

    if (offset >= map->text_size)
        return INSN_INSIDE;
    return (enum insn_code)(
        map->codes[offset / INSN_MAP_PER_BYTE] >> 2 * (offset % INSN_MAP_PER_BYTE) & 3);
}

/* If no instruction begins at `address`, none ends there: `address` is inside an instruction. */
uintptr_t insn_map_before(const struct insn_map *map, uintptr_t address)
{
    uintptr_t offset = address - map->text;

    if (offset > map->text_size ||
        (offset < map->text_size && insn_map_code(map, address) == INSN_INSIDE))
        return 0;
    for (unsigned length = 1; length <= INSN_LENGTH_MAX; length++)
        if (insn_map_code(map, address - length) != INSN_INSIDE)
            return address - length;
    return 0;
}

/* The map covers `address`. */
static bool has_repeat(const struct insn_map *map, uintptr_t address)
{
    return insn_has_repeat((const uint8_t *)address, map->text_size - (address - map->text));
}

bool insn_map_is_call(const struct insn_map *map, uintptr_t address)
{
    return insn_map_code(map, address) == INSN_CALL_OR_REPEATED && !has_repeat(map, address);
}

bool insn_map_is_repeated(const struct insn_map *map, uintptr_t address)
{
    return insn_map_code(map, address) == INSN_CALL_OR_REPEATED && has_repeat(map, address);
}
