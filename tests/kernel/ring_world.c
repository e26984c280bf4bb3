/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See ring_world.h. Records prove themselves (tests/unit/ring_payload.h), and
 * tests/unit/ring_check.c checks the ring. This file checks that the result is the only correct
 * one: no old record is overwritten needlessly, none that fits is dropped, and each writer's bytes
 * are found once.
 */
#include "tests/kernel/ring_world.h"

#include <linux/perf_event.h>

#include "arch/cpu.h"
#include "arch/local.h"
#include "arch/regs.h"
#include "core/sample/sample.h"
#include "tests/unit/ring_check.h"
#include "tests/unit/ring_parts.h"
#include "tests/unit/ring_payload.h"

#define WORDS    (WORLD_SIZE / 8)
#define LONG_OLD 512u
#define HEAD     (3ull * WORLD_SIZE) /* approximately where the writers begin */

struct writer {
    enum world_form form;
    uint32_t size;
    bool started;
    bool in_ring;
    uint64_t time;          /* the time that the ring assigned */
    uint64_t record[WORDS]; /* its own copy; must be last, as only the used part is saved */
};

/* One per writer, made when it starts. */
static struct sample_plan plans[WORLD_WRITERS];

/* Modified by the writers, in whatever context they run. */
struct world {
    struct ring ring;
    struct writer writers[WORLD_WRITERS];
    uint64_t published; /* at the last check */
    uint64_t under_way; /* sample_under_way of this CPU */
    uint64_t bytes[WORDS];
};

static struct world now;
static struct world saved[WORLD_WRITERS - 1];

/* The state after world_start. */
static struct {
    uint64_t head, tail, time, produced;
    uint64_t ends[WORDS]; /* the ends of the old records, in order */
    unsigned count;
    uint16_t names;
} before;

static void copy_world(struct world *to, const struct world *from)
{
    to->ring = from->ring;
    to->published = from->published;
    local_copy_words(to->bytes, from->bytes, WORDS);
    for (unsigned i = 0; i < WORLD_WRITERS; i++) {
        uint64_t words = offsetof(struct writer, record) / 8;

        if (from->writers[i].started)
            words += from->writers[i].size / 8;
        local_copy_words(&to->writers[i], &from->writers[i], words);
    }
}

void world_save(unsigned depth)
{
    copy_world(&saved[depth], &now);
    saved[depth].under_way = sample_under_way[arch_cpu_id()];
}

void world_restore(unsigned depth)
{
    copy_world(&now, &saved[depth]);
    sample_under_way[arch_cpu_id()] = saved[depth].under_way;
}

/* --- Writing ---------------------------------------------------------------------------------- */

/* The debug trap reads it. */
static void set_in_ring(struct writer *writer, bool in_ring)
{
    local_barrier();
    *(volatile bool *)&writer->in_ring = in_ring;
    local_barrier();
}

static void write_in_parts(struct writer *writer)
{
    struct ring_record record;
    bool room;

    set_in_ring(writer, true);
    room = ring_reserve(&now.ring, writer->size, &record);
    set_in_ring(writer, false);
    if (room) {
        writer->time = record.time;
        payload_fill(writer->record, writer->size, record.level, record.offset, record.time);
        set_in_ring(writer, true);
        ring_write(&now.ring, &record, writer->record, writer->size);
        set_in_ring(writer, false);
    }
    set_in_ring(writer, true);
    ring_commit(&now.ring, &record);
    set_in_ring(writer, false);
}

/* Short records have no word for the time. */
static void write_ready(struct writer *writer, unsigned level)
{
    bool timed = payload_has_time(writer->size);

    payload_fill_named(writer->record, writer->size, level, before.names++);
    set_in_ring(writer, true);
    ring_output(&now.ring, writer->record, writer->size,
                timed ? payload_time_word(writer->record) : &writer->time);
    set_in_ring(writer, false);
    if (timed)
        writer->time = payload_time(writer->record);
}

static void write_sample(struct writer *writer, struct sample_plan *plan)
{
    const uint16_t name = before.names++;
    const struct payload_hit hit = payload_hit(name);
    const struct regs regs = {.ip = hit.ip, .cs = KERNEL_CODE_SELECTOR, .flags = FLAGS_FIXED};
    const uint64_t optional = writer->size > PAYLOAD_SAMPLE ? PERF_SAMPLE_PERIOD : 0;

    *plan =
        sample_plan_make(hit.id, &(struct perf_event_attr){.sample_type = SAMPLE_ALWAYS | optional},
                         &(struct sample_chain){.skip = 0}, NULL);
    payload_fill_sample(writer->record, writer->size, name, arch_cpu_id());
    set_in_ring(writer, true);
    sample_take(plan, &now.ring, hit.addr, &regs, hit.ids, hit.period);
    set_in_ring(writer, false);
}

void world_write(unsigned index)
{
    struct writer *writer = &now.writers[index];

    writer->started = true;
    if (writer->form == WORLD_OUTPUT)
        write_ready(writer, index);
    else if (writer->form == WORLD_SAMPLE)
        write_sample(writer, &plans[index]);
    else
        write_in_parts(writer);
}

void world_set_size(unsigned index, uint32_t size)
{
    now.writers[index].size = size;
}

bool world_in_ring(unsigned index)
{
    return now.writers[index].in_ring;
}

/* --- The start -------------------------------------------------------------------------------- */

static void write_old(uint32_t size)
{
    struct ring_record record;
    uint64_t words[LONG_OLD / 8];

    ring_reserve(&now.ring, size, &record);
    payload_fill(words, size, record.level, record.offset, record.time);
    ring_write(&now.ring, &record, words, size);
    ring_commit(&now.ring, &record);
}

/* Writes records of `size` up to `end`, the last one perhaps shorter. */
static void write_old_to(uint64_t end, uint32_t size)
{
    while (now.ring.head < end) {
        uint64_t left = end - now.ring.head;

        write_old(left < size ? (uint32_t)left : size);
        before.ends[before.count++] = now.ring.head;
    }
}

/* Free space holds records of the previous lap, as in a ring that has been read. */
void world_start(const struct world_setup *setup)
{
    before.head = HEAD - setup->to_end;
    before.tail = before.head - WORLD_SIZE + setup->room;
    ring_init(&now.ring, now.bytes, WORLD_SIZE, setup->mode, setup->mode == RING_NORMAL, NULL);
    now.ring.head = now.ring.tail = now.ring.published = before.head - WORLD_SIZE;
    write_old_to(before.tail, LONG_OLD);
    before.count = 0;
    write_old_to(before.tail + setup->reach, setup->old);
    write_old_to(before.head, LONG_OLD);
    before.produced = before.count;
    now.ring.tail = before.tail;
    now.published = before.head;
    now.ring.produced = before.produced;
    before.time = arch_clock_ns();
    for (unsigned i = 0; i < WORLD_WRITERS; i++) {
        now.writers[i].form = i == 0 ? setup->form : setup->nested_form;
        now.writers[i].started = now.writers[i].in_ring = false;
    }
}

/* --- A stopped machine ------------------------------------------------------------------------ */

const char *world_view(struct world_view *view)
{
    struct ring_look look = ring_look(&now.ring);
    uint64_t accounted = look.whole + look.unfinished + now.ring.overwritten + now.ring.dropped;

    view->unfinished = look.unfinished;
    view->missing = now.ring.produced - accounted;
    if (look.fault)
        return look.fault;
    if (now.ring.published < now.published)
        return "what was published went backwards";
    now.published = now.ring.published;
    if (look.unfinished > now.ring.nest)
        return "more claims than writers";
    /* each writer may have one unclaimed record and one uncounted move of the tail */
    if (view->missing > 2 * now.ring.nest)
        return "a committed record is not found";
    return NULL;
}

bool world_is_in(enum world_moment moment, const struct world_view *view)
{
    const struct ring_claim *claim = &now.ring.claims[0];
    bool chooses = claim->size > 0 && claim->offset == UINT64_MAX;
    bool noted = claim->size > 0 && !chooses;

    switch (moment) {
    case WORLD_PENDING:
        return chooses;
    case WORLD_NOTED:
        return noted && claim->offset == now.ring.head;
    case WORLD_CLAIMED:
        return view->unfinished > 0;
    case WORLD_UNCOUNTED:
        return view->missing > now.ring.nest;
    case WORLD_PUBLISHED:
        return now.ring.nest > 0 && now.ring.head > before.head &&
               now.ring.published == now.ring.head;
    case WORLD_MOMENTS:
        break;
    }
    return false;
}

/* --- The end ---------------------------------------------------------------------------------- */

static uint64_t word_at(uint64_t position)
{
    return now.bytes[position / 8 % WORDS];
}

static bool is_at(const struct writer *writer, uint64_t position)
{
    for (uint32_t i = 0; i < writer->size / 8; i++)
        if (word_at(position + i * 8) != writer->record[i] &&
            !(writer->form == WORLD_SAMPLE && i == PAYLOAD_SAMPLE_TIME))
            return false;
    return true;
}

/* The writer whose record is there and has not been found before; NULL. */
static struct writer *writer_at(uint64_t position, const bool *found)
{
    for (unsigned i = 0; i < WORLD_WRITERS; i++)
        if (now.writers[i].started && !found[i] && is_at(&now.writers[i], position))
            return &now.writers[i];
    return NULL;
}

/* The writers' records, which follow the old ones. */
static const char *find_writers(bool *found, struct world_deeds *deeds)
{
    uint64_t at = now.ring.tail > before.head ? now.ring.tail : before.head, time = before.time;

    while (at < now.ring.head) {
        struct writer *writer = writer_at(at, found);

        if (!writer)
            return "a record that nobody wrote, or one that is there twice";
        if (writer->form == WORLD_SAMPLE)
            writer->time = word_at(at + PAYLOAD_SAMPLE_TIME * 8);
        if (writer->time < time)
            return "a claim has an older time than the one before it";
        found[writer - now.writers] = true;
        deeds->wrapped |= at % WORLD_SIZE + writer->size > WORLD_SIZE;
        time = writer->time;
        at += writer->size;
    }
    return NULL;
}

/* No more old records were overwritten than necessary. */
static const char *tail_fault(uint64_t *passed)
{
    uint64_t tail = before.tail;

    for (*passed = 0; *passed < before.count && now.ring.head - tail > WORLD_SIZE; ++*passed)
        tail = before.ends[*passed];
    if (now.ring.mode == RING_NORMAL && (*passed > 0 || now.ring.overwritten > 0))
        return "a writer took over what the reader has not consumed";
    if (*passed < before.count && now.ring.tail != tail)
        return "the tail is not where the fewest old records are lost";
    return NULL;
}

/* A record may be dropped if it does not fit; in overwrite mode, if it cannot fit. */
static bool may_be_dropped(const struct writer *writer, uint64_t total)
{
    if (now.ring.mode == RING_NORMAL)
        return now.ring.head + writer->size - now.ring.tail > WORLD_SIZE;
    return total > WORLD_SIZE;
}

const char *world_fault(struct world_deeds *deeds)
{
    bool found[WORLD_WRITERS] = {false};
    const char *fault = ring_fault(&now.ring, 0);
    uint64_t started = 0, lost = 0, total = 0, passed;

    *deeds = (struct world_deeds){.moved = now.ring.tail != before.tail,
                                  .dropped = now.ring.dropped > 0};
    if (!fault)
        fault = find_writers(found, deeds);
    if (!fault)
        fault = tail_fault(&passed);
    if (fault)
        return fault;
    for (unsigned i = 0; i < WORLD_WRITERS; i++)
        total += now.writers[i].started ? now.writers[i].size : 0;
    for (unsigned i = 0; i < WORLD_WRITERS; i++) {
        started += now.writers[i].started;
        if (!now.writers[i].started || found[i])
            continue;
        lost++;
        if (!may_be_dropped(&now.writers[i], total))
            return "a record with room is not there";
    }
    if (now.ring.produced != before.produced + started)
        return "not each writer is counted once";
    if (lost != now.ring.dropped + now.ring.overwritten - passed)
        return "what is lost is neither dropped nor overwritten";
    return NULL;
}
