/* SPDX-License-Identifier: BSD-2-Clause */
/* See watch_model.h. */
#include "tests/kernel/watch_model.h"

#include <linux/errno.h>

#include "core/lib/number.h"
#include "tests/kernel/ktap.h"

static uintptr_t area;
static struct breakpoint_target target;
static uint64_t random_state = 1;
static unsigned chosen_rounds;
static void (*chosen_claims)(unsigned rounds);

static struct totals {
    uint64_t rounds, counts, wrong, doubtful, none;
} totals;

static void claims_of_rounds(void)
{
    chosen_claims(chosen_rounds);
}

int watch_model_run(int argc, char **argv, unsigned rounds, void (*claims)(unsigned rounds))
{
    uint64_t number = rounds, seed = 0x9e3779b97f4a7c15;

    if (argc != 1 && (argc != 3 || !number_parse(argv[1], UINT32_MAX, &number) || number == 0 ||
                      !number_parse(argv[2], UINT64_MAX, &seed) || seed == 0)) {
        print("usage: %s [ROUNDS SEED], neither of them 0\n", argv[0]);
        return -EINVAL;
    }
    random_state = seed;
    chosen_rounds = (unsigned)number;
    chosen_claims = claims;
    return ktap_run(claims_of_rounds);
}

void watch_model_start(uintptr_t start, struct breakpoint_target whose)
{
    area = start;
    target = whose;
    totals = (struct totals){0};
}

unsigned watch_model_below(unsigned limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 32) % limit;
}

static unsigned element(const struct watch_model *model)
{
    return model->reads > model->writes ? model->reads : model->writes;
}

static unsigned random_start(const struct watch_model *model, bool aligned)
{
    unsigned size = element(model), all = model->count * size;
    unsigned first = watch_model_below(WATCH_MODEL_AREA - all + 1) & (aligned ? -size : -1u);

    return model->down ? first + all - size : first;
}

void watch_model_place(struct watch_model *model, bool aligned)
{
    model->to = random_start(model, aligned);
    model->from = random_start(model, aligned);
}

static bool touches(const struct breakpoint *watch, unsigned at, unsigned size)
{
    uintptr_t start = area + at;

    return size > 0 && start < watch->address + watch->length && watch->address < start + size;
}

static uint64_t hits(const struct breakpoint *watch, const struct watch_model *model)
{
    uint64_t count = 0;

    for (unsigned i = 0; i < model->count; i++) {
        unsigned passed = (model->down ? -i : i) * element(model);
        bool written = touches(watch, model->to + passed, model->writes);
        bool read = touches(watch, model->from + passed, model->reads);

        count += written || (read && watch->access == ARCH_READ_WRITE);
    }
    return count * model->times;
}

static bool arm_random(struct watch *watch)
{
    unsigned length = 1 + watch_model_below(9);
    unsigned start = watch_model_below(WATCH_MODEL_AREA - length + 1);

    if ((length & (length - 1)) == 0)
        start &= -length;
    return watch_try(watch, &target, area + start, length,
                     watch_model_below(2) ? ARCH_WRITE : ARCH_READ_WRITE);
}

static void judge(const struct watch *watch, const struct watch_model *model, unsigned count)
{
    const struct breakpoint *breakpoint = &watch->breakpoint;
    uint64_t expected = 0, most = watch->hits + breakpoint->doubtful;

    for (unsigned i = 0; i < count; i++)
        expected += hits(breakpoint, &model[i]);
    totals.counts++;
    totals.doubtful += breakpoint->doubtful > 0;
    totals.none += watch->hits == 0 && expected > 0;
    if (watch->hits <= expected && expected <= most)
        return;
    totals.wrong++;
    print("#   +%u/%u:%s has %llu, up to %llu, is %llu:\n", (unsigned)(breakpoint->address - area),
          (unsigned)breakpoint->length, breakpoint->access == ARCH_WRITE ? "w" : "rw",
          (unsigned long long)watch->hits, (unsigned long long)most, (unsigned long long)expected);
    for (unsigned i = 0; i < count; i++)
        if (model[i].reads || model[i].writes)
            print("#     %u times %s, %u to +%u/%u from +%u/%u%s\n", model[i].times, model[i].name,
                  model[i].count, model[i].to, model[i].writes, model[i].from, model[i].reads,
                  model[i].down ? " down" : "");
}

void watch_model_round(const struct watch_model *models, unsigned count,
                       void (*execute)(const struct watch_model *model))
{
    static struct watch watches[WATCH_MODEL_WATCHES];
    unsigned armed = 0, wanted = 1 + watch_model_below(WATCH_MODEL_WATCHES);

    for (unsigned i = 0; i < wanted; i++)
        armed += arm_random(&watches[armed]);
    execute(models);
    for (unsigned i = 0; i < armed; i++)
        watch_disarm(&watches[i]);
    for (unsigned i = 0; i < armed; i++)
        judge(&watches[i], models, count);
    totals.rounds++;
}

void watch_model_claims(unsigned percent)
{
    ktap_ok(totals.counts > totals.rounds, "random watches of known accesses are counted");
    ktap_equal(totals.wrong, 0, "... no count is wrong outside of its doubt");
    ktap_ok(totals.doubtful * 100 <= totals.counts * percent,
            "... at most %u %% are doubtful (%llu)", percent,
            (unsigned long long)(totals.counts ? totals.doubtful * 100 / totals.counts : 0));
    print("#   %llu counts, %llu doubtful, %llu of 0 where there were accesses%s\n",
          (unsigned long long)totals.counts, (unsigned long long)totals.doubtful,
          (unsigned long long)totals.none,
          arch_watch_groups() ? ", on a machine that traps once for a group" : "");
}
