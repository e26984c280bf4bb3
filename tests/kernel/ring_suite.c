/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ring with nested writers at every instruction: of every size, at every alignment of the
 * ring's end, with every amount of room. docs/ring.md defines "every"; tests/boot/ring.t runs the
 * long forms and requires a number of interleavings.
 */
#include <linux/errno.h>

#include "core/lib/string.h"
#include "core/symbols/symbols.h"
#include "tests/kernel/ktap.h"
#include "tests/kernel/ring_nest.h"
#include "tests/unit/ring_payload.h"

#define SIZES_MOST 16

enum room {
    ROOM_NONE,   /* each record moves the tail; in normal mode, each is dropped */
    ROOM_EVERY,  /* none, 8 bytes more, and so on, up to room for all */
    ROOM_ENOUGH, /* for all records */
};

/* Ascending, ended by 0. */
static const uint32_t to_16[] = {8, 16, 0};
static const uint32_t to_24[] = {8, 16, 24, 0};
static const uint32_t to_40[] = {8, 16, 24, 32, 40, 0};
static const uint32_t to_64[] = {8, 16, 24, 32, 40, 48, 56, 64, 0};
static const uint32_t only_8[] = {8, 0};
static const uint32_t only_24[] = {24, 0}; /* the shortest with a time */
static const uint32_t both[] = {8, 24, 0};
static const uint32_t plain[] = {PAYLOAD_SAMPLE, 0};
static const uint32_t samples[] = {PAYLOAD_SAMPLE, PAYLOAD_SAMPLE + 8, 0};
static const uint32_t ends[] = {8, WORLD_SIZE, 0};
static const uint32_t large[] = {8, 2056, WORLD_SIZE - 8, WORLD_SIZE, 0};

/* One claim: writers with any of these sizes, in every combination. */
struct group {
    const char *text;
    enum ring_mode mode;
    enum world_form form, nested_form;
    enum nest_kind kind;
    const uint32_t *sizes, *nested_sizes;
    uint32_t old;
    enum room room;
    uint32_t to_end_most; /* the largest distance to the ring's end */
};

#define REACH 0 /* ... as far as the writers reach */

#define NORMAL    RING_NORMAL, WORLD_OUTPUT, WORLD_OUTPUT
#define OVERWRITE RING_OVERWRITE, WORLD_OUTPUT, WORLD_OUTPUT
/*
 * In parts means ring_reserve, ring_write, ring_commit: all writers, or only the outermost, or all
 * but the outermost
 */
#define NORMAL_PARTS      RING_NORMAL, WORLD_PARTS, WORLD_PARTS
#define OVERWRITE_PARTS   RING_OVERWRITE, WORLD_PARTS, WORLD_PARTS
#define OVERWRITE_FIRST   RING_OVERWRITE, WORLD_PARTS, WORLD_OUTPUT
#define NORMAL_SAMPLES    RING_NORMAL, WORLD_SAMPLE, WORLD_SAMPLE
#define OVERWRITE_SAMPLES RING_OVERWRITE, WORLD_SAMPLE, WORLD_SAMPLE
#define OVERWRITE_LAST    RING_OVERWRITE, WORLD_OUTPUT, WORLD_PARTS

/* For slow machines. */
static const struct group groups_short[] = {
    {"overwrite", OVERWRITE, NEST_ONE, to_16, to_16, 8, ROOM_NONE, REACH},
    {"overwrite, in parts", OVERWRITE_PARTS, NEST_ONE, to_16, to_16, 24, ROOM_NONE, REACH},
    {"overwrite, samples", OVERWRITE_SAMPLES, NEST_ONE, plain, plain, 24, ROOM_NONE, REACH},
    {"overwrite, two levels", OVERWRITE, NEST_DEEPER, only_8, only_8, 24, ROOM_ENOUGH, 8},
    {"overwrite, two in turn", OVERWRITE, NEST_AGAIN, only_8, only_8, 24, ROOM_ENOUGH, 8},
    {"normal", NORMAL, NEST_ONE, to_16, to_16, 24, ROOM_EVERY, 16},
    {.text = NULL},
};

static const struct group groups_full[] = {
    {"overwrite, old records of 8", OVERWRITE, NEST_ONE, to_24, to_24, 8, ROOM_EVERY, REACH},
    {"overwrite, old records of 40", OVERWRITE, NEST_ONE, to_24, to_24, 40, ROOM_EVERY, REACH},
    {"overwrite, in parts", OVERWRITE_PARTS, NEST_ONE, to_24, to_24, 24, ROOM_EVERY, REACH},
    {"overwrite, up to the ring's size", OVERWRITE, NEST_ONE, large, large, 24, ROOM_NONE, 8},
    {"overwrite, two levels of 8", OVERWRITE, NEST_DEEPER, only_8, only_8, 24, ROOM_NONE, 8},
    {"overwrite, two levels of 24", OVERWRITE, NEST_DEEPER, only_24, only_24, 24, ROOM_NONE, 32},
    {"overwrite, two in turn", OVERWRITE, NEST_AGAIN, only_24, both, 24, ROOM_NONE, 8},
    {"overwrite, two laps in turn", OVERWRITE, NEST_AGAIN, only_8, ends, 24, ROOM_NONE, 8},
    {"overwrite, samples", OVERWRITE_SAMPLES, NEST_ONE, plain, plain, 24, ROOM_EVERY, REACH},
    {"overwrite, two levels of samples", OVERWRITE_SAMPLES, NEST_DEEPER, plain, plain, 24,
     ROOM_NONE, 8},
    {"overwrite, two samples in turn", OVERWRITE_SAMPLES, NEST_AGAIN, plain, plain, 24, ROOM_NONE,
     8},
    {"normal", NORMAL, NEST_ONE, to_24, to_24, 24, ROOM_EVERY, REACH},
    {"normal, samples", NORMAL_SAMPLES, NEST_ONE, plain, plain, 24, ROOM_EVERY, REACH},
    {"normal, in parts", NORMAL_PARTS, NEST_ONE, to_24, to_24, 24, ROOM_EVERY, REACH},
    {"normal, two levels of 24", NORMAL, NEST_DEEPER, only_24, only_24, 24, ROOM_ENOUGH, 32},
    {.text = NULL},
};

static const struct group groups_soak[] = {
    {"normal, samples", NORMAL_SAMPLES, NEST_ONE, samples, samples, 24, ROOM_EVERY, REACH},
    {"overwrite, two samples in turn", OVERWRITE_SAMPLES, NEST_AGAIN, samples, plain, 24, ROOM_NONE,
     16},
    {"normal, two levels of 24", NORMAL, NEST_DEEPER, only_24, only_24, 24, ROOM_ENOUGH, REACH},
    {"overwrite, samples", OVERWRITE_SAMPLES, NEST_ONE, samples, samples, 24, ROOM_EVERY, REACH},
    {"overwrite, samples on longer ones", OVERWRITE_SAMPLES, NEST_ONE, samples, samples, 40,
     ROOM_EVERY, REACH},
    {"overwrite, two levels of samples", OVERWRITE_SAMPLES, NEST_DEEPER, samples, samples, 24,
     ROOM_NONE, REACH},
    {"normal, two samples in turn", NORMAL_SAMPLES, NEST_AGAIN, samples, samples, 24, ROOM_EVERY,
     REACH},
    {"overwrite, old records of 8", OVERWRITE, NEST_ONE, to_64, to_64, 8, ROOM_EVERY, REACH},
    {"overwrite, old records of 40", OVERWRITE, NEST_ONE, to_64, to_64, 40, ROOM_EVERY, REACH},
    {"overwrite, in parts", OVERWRITE_PARTS, NEST_ONE, to_64, to_64, 24, ROOM_EVERY, REACH},
    {"overwrite, first in parts", OVERWRITE_FIRST, NEST_ONE, to_64, to_64, 16, ROOM_EVERY, REACH},
    {"overwrite, last in parts", OVERWRITE_LAST, NEST_ONE, to_64, to_64, 16, ROOM_EVERY, REACH},
    {"overwrite, up to the ring's size", OVERWRITE, NEST_ONE, large, large, 24, ROOM_NONE, 32},
    {"overwrite, two levels", OVERWRITE, NEST_DEEPER, to_24, to_24, 24, ROOM_NONE, REACH},
    {"overwrite, two levels, any room", OVERWRITE, NEST_DEEPER, both, both, 24, ROOM_EVERY, REACH},
    {"overwrite, two levels of laps", OVERWRITE, NEST_DEEPER, only_8, ends, 24, ROOM_NONE, 16},
    {"overwrite, two levels, in parts", OVERWRITE_PARTS, NEST_DEEPER, both, both, 24, ROOM_NONE,
     REACH},
    {"overwrite, two in turn", OVERWRITE, NEST_AGAIN, to_40, to_40, 24, ROOM_NONE, REACH},
    {"overwrite, two in turn, in parts", OVERWRITE_PARTS, NEST_AGAIN, both, both, 24, ROOM_NONE,
     REACH},
    {"normal", NORMAL, NEST_ONE, to_64, to_64, 24, ROOM_EVERY, REACH},
    {"normal, in parts", NORMAL_PARTS, NEST_ONE, to_64, to_64, 24, ROOM_EVERY, REACH},
    {"normal, two levels, any room", NORMAL, NEST_DEEPER, both, both, 24, ROOM_EVERY, REACH},
    {"normal, two in turn, any room", NORMAL, NEST_AGAIN, both, both, 24, ROOM_EVERY, REACH},
    {.text = NULL},
};

static struct nest_count total;
static const struct group *chosen;

/* --- Output ----------------------------------------------------------------------------------- */

static void show_fault(const struct nest_plan *plan, const struct nest_fault *fault)
{
    struct symbol symbol = {.name = "?"};

    print("#   %s\n#   %u bytes, %u from the ring's end, room for %u, old records of %u\n",
          fault->what, plan->outermost, plan->setup.to_end, plan->setup.room, plan->setup.old);
    for (unsigned i = 0; i < fault->came; i++) {
        symbols_find_address(fault->at[i], &symbol);
        print("#   then %u bytes, at %s+0x%llx\n", fault->sizes[i], symbol.name,
              (unsigned long long)(fault->at[i] - symbol.address));
    }
}

static void show_count(const struct nest_count *count)
{
    print("#   %llu interleavings at %llu instructions of %llu runs\n",
          (unsigned long long)count->interleavings, (unsigned long long)count->boundaries,
          (unsigned long long)count->runs);
    print(
        "#   %llu with a record across the ring's end, %llu with a moved tail, %llu with a drop\n",
        (unsigned long long)count->wrapped, (unsigned long long)count->moved,
        (unsigned long long)count->dropped);
}

static void add(struct nest_count *to, const struct nest_count *count)
{
    to->interleavings += count->interleavings;
    to->wrapped += count->wrapped;
    to->moved += count->moved;
    to->dropped += count->dropped;
    for (unsigned i = 0; i < WORLD_MOMENTS; i++)
        to->moments[i] += count->moments[i];
}

/* --- Running a group -------------------------------------------------------------------------- */

static uint32_t least(uint32_t left, uint32_t right)
{
    return left < right ? left : right;
}

/* The longest of the nested records. */
static uint32_t longest(const struct group *group)
{
    uint32_t most = 0;

    for (const uint32_t *size = group->nested_sizes; *size; size++)
        most = *size;
    return most;
}

static uint32_t nested_writers(const struct group *group)
{
    return group->kind == NEST_ONE ? 1 : 2;
}

/*
 * Chooses the nested writers' sizes. Once the end, or the room, is beyond all writers' reach, one
 * place further gives the same again.
 */
static unsigned choose_sizes(const struct group *group, const struct nest_plan *plan,
                             uint32_t *sizes)
{
    const uint32_t others = plan->outermost + (nested_writers(group) - 1) * longest(group);
    unsigned count = 0;

    for (const uint32_t *size = group->nested_sizes; *size; size++)
        if (plan->setup.to_end <= others + *size + 8 &&
            (group->room != ROOM_EVERY || plan->setup.room <= others + *size))
            sizes[count++] = *size;
    return count;
}

/* Runs the plan with the ring's end at every place. */
static bool run_ends(const struct group *group, struct nest_plan *plan, struct nest_count *count,
                     struct nest_fault *fault)
{
    const uint32_t reach = plan->outermost + nested_writers(group) * longest(group) + 8;
    const uint32_t most = group->to_end_most == REACH ? reach : group->to_end_most;
    uint32_t sizes[SIZES_MOST];

    plan->sizes = sizes;
    for (uint32_t to_end = 8; to_end <= most; to_end += 8) {
        plan->setup.to_end = to_end;
        plan->size_count = choose_sizes(group, plan, sizes);
        if (plan->size_count > 0)
            nest_run(plan, count, fault);
        if (fault->what)
            return false;
    }
    return true;
}

static bool run_rooms(const struct group *group, struct nest_plan *plan, struct nest_count *count,
                      struct nest_fault *fault)
{
    const uint32_t needed = plan->outermost + nested_writers(group) * longest(group);
    const uint32_t most = group->room == ROOM_NONE ? 0 : needed;

    plan->setup.reach = least(needed + 64, WORLD_SIZE - most);
    for (uint32_t room = group->room == ROOM_ENOUGH ? most : 0; room <= most; room += 8) {
        plan->setup.room = room;
        if (!run_ends(group, plan, count, fault))
            return false;
    }
    return true;
}

static void claim_group(const struct group *group)
{
    struct nest_plan plan = {.setup = {.mode = group->mode,
                                       .form = group->form,
                                       .nested_form = group->nested_form,
                                       .old = group->old},
                             .kind = group->kind};
    struct nest_count count = {.runs = 0};
    struct nest_fault fault = {.what = NULL};
    bool holds = true;

    for (const uint32_t *size = group->sizes; holds && *size; size++) {
        plan.outermost = *size;
        holds = run_rooms(group, &plan, &count, &fault);
    }
    ktap_ok(holds, "%s: nothing is torn, lost or out of order (%llu interleavings)", group->text,
            (unsigned long long)count.interleavings);
    if (!holds)
        show_fault(&plan, &fault);
    show_count(&count);
    add(&total, &count);
}

static void ring_claims(void)
{
    static const char *const moments[WORLD_MOMENTS] = {
        [WORLD_PENDING] = "while a place was being chosen",
        [WORLD_NOTED] = "between note and claim",
        [WORLD_CLAIMED] = "upon an unfinished record",
        [WORLD_UNCOUNTED] = "between a move of the tail and its count",
        [WORLD_PUBLISHED] = "between publishing and leaving",
    };

    total = (struct nest_count){.runs = 0};
    for (const struct group *group = chosen; group->text; group++)
        claim_group(group);
    for (unsigned i = 0; i < WORLD_MOMENTS; i++)
        ktap_ok(total.moments[i] > 0, "writers came %s (%llu)", moments[i],
                (unsigned long long)total.moments[i]);
    print("# %llu interleavings in all\n", (unsigned long long)total.interleavings);
}

static const struct group *groups_called(int argc, char **argv)
{
    if (argc == 1)
        return groups_short;
    if (argc == 2 && strcmp(argv[1], "full") == 0)
        return groups_full;
    if (argc == 2 && strcmp(argv[1], "soak") == 0)
        return groups_soak;
    return NULL;
}

static int ktap_command_ring(int argc, char **argv)
{
    chosen = groups_called(argc, argv);
    if (!chosen) {
        print("ktap-ring: full or soak, or nothing for the short form\n");
        return -EINVAL;
    }
    return ktap_run(ring_claims);
}

PITOT_COMMAND_AS(ktap_ring, "ktap-ring", "[full|soak]",
                 "the ring with nested writers at every instruction", ktap_command_ring, 0);
