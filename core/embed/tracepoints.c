/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tracepoints of another kernel, as laid out by the macros of core/pitot.h. Field offsets and
 * record sizes are computed at boot; one function makes all records.
 */
#include "core/embed/embed.h"

#include "arch/patch.h"
#include "core/lib/string.h"
#include "core/pitot.h"
#include "core/tracepoint/define.h"

#define SAME_PLACE(one, other)                                                                     \
    _Static_assert(offsetof(struct pitot_tracepoint, one) == offsetof(struct tracepoint, other),   \
                   "core/pitot.h has a tracepoint's " #one " elsewhere")

SAME_PLACE(enter, gated);
SAME_PLACE(gate, gate);
SAME_PLACE(full_name, full_name);
SAME_PLACE(field, field);
SAME_PLACE(field_count, field_count);
SAME_PLACE(raw_size, raw_size);
SAME_PLACE(id, id);
SAME_PLACE(make, make);
SAME_PLACE(weighted, weighted);
SAME_PLACE(probes, probes);
_Static_assert(sizeof(struct pitot_field) == sizeof(struct tracepoint_field) &&
                   offsetof(struct pitot_field, offset) ==
                       offsetof(struct tracepoint_field, offset),
               "core/pitot.h has a field's members elsewhere");

_Static_assert(PITOT_KIND_pointer == TRACEPOINT_pointer && PITOT_KIND_u32 == TRACEPOINT_u32 &&
                   PITOT_KIND_s32 == TRACEPOINT_s32 && PITOT_KIND_u64 == TRACEPOINT_u64 &&
                   PITOT_KIND_s64 == TRACEPOINT_s64 && PITOT_KIND_text == TRACEPOINT_text &&
                   PITOT_SIZE_text == TRACEPOINT_TEXT_SIZE,
               "core/pitot.h numbers kinds otherwise");

/* If even Pitot's own tracepoint is missing, the linker script has dropped the section. */
PITOT_TRACEPOINT(pitot, mark, 2, PITOT_FIELD(text, text, "%s"), PITOT_FIELD(u64, value, " %lu"));

/*
 * ... and if this one is, those of patched tracepoints. No tracepoint owns it. Compilers align a
 * structure of this size to 16, which would leave a gap in the array that other objects continue.
 */
__attribute__((section("pitot_sites"), used, aligned(8))) static struct arch_site no_site;
extern const struct arch_site __start_tracepoint_sites[] __attribute__((weak));
extern const struct arch_site __stop_tracepoint_sites[] __attribute__((weak));

static void put_field(char *record, const struct tracepoint_field *field, uint64_t argument)
{
    char *to = record + field->offset;

    if (field->kind == TRACEPOINT_text)
        tracepoint_store(to, TRACEPOINT_TEXT_SIZE, argument);
    else if (field->size == sizeof(uint32_t))
        tracepoint_store(to, sizeof(uint32_t), argument);
    else
        tracepoint_store(to, sizeof(uint64_t), argument);
}

/* Clears the whole record first, including padding. Any context. */
static char *make_record(const struct tracepoint *tracepoint, char *restrict record,
                         const uint64_t *restrict argument)
{
    memset(record + sizeof(struct tracepoint_head), 0,
           tracepoint->raw_size - sizeof(struct tracepoint_head));
    for (unsigned i = 0; i < tracepoint->field_count; i++)
        put_field(record, &tracepoint->field[i], argument[i]);
    return record + tracepoint->raw_size;
}

/* 8-byte fields are aligned relative to the record's beginning; others need not be. */
static unsigned place_fields(struct pitot_tracepoint *tracepoint)
{
    unsigned end = sizeof(struct tracepoint_head);

    for (unsigned i = 0; i < tracepoint->field_count; i++) {
        struct pitot_field *field = &tracepoint->field[i];

        if (field->size == sizeof(uint64_t))
            end = (end + 7) & ~7u;
        field->offset = (unsigned short)end;
        end += field->size;
    }
    return end;
}

int embed_tracepoints_init(struct refusal *why)
{
    struct tracepoint *each;

    if (tracepoint_count() == 0)
        return refuse(why, EINVAL,
                      "the linker script drops the section pitot_tracepoints: "
                      "add KEEP(*(pitot_tracepoints)) between "
                      "__start_pitot_tracepoints and __stop_pitot_tracepoints");
    if ((uintptr_t)__start_tracepoint_sites == (uintptr_t)__stop_tracepoint_sites)
        return refuse(why, EINVAL,
                      "the linker script drops the section pitot_sites: add KEEP(*(pitot_sites)) "
                      "between __start_pitot_sites and __stop_pitot_sites");
    for (uint16_t id = 1; (each = tracepoint_by_id(id)) != NULL; id++) {
        if (each->field_count > ARCH_GATE_ARGUMENTS)
            return refuse(why, EINVAL, "%s: up to %d fields are allowed", each->full_name,
                          ARCH_GATE_ARGUMENTS);
        each->raw_size = TRACEPOINT_RAW_SIZE(place_fields((struct pitot_tracepoint *)each));
        each->gated.enter = tracepoint_hit;
        each->make = make_record;
    }
    return 0;
}
