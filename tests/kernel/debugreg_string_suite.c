/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Repeated string instructions of the kernel under random overlapping watches: a watch never has
 * more hits than the model, nor fewer if doubtful hits are added. On machines that trap after each
 * iteration most counts are exact.
 */
#include "arch/cpu.h"
#include "tests/kernel/ktap.h"
#include "tests/kernel/watch_model.h"

#define ROUNDS 600

static uint8_t area[WATCH_MODEL_AREA] __attribute__((aligned(WATCH_MODEL_AREA)));

#define EXECUTE(suffix)                                                                            \
    do {                                                                                           \
        if (model->reads && model->writes)                                                         \
            __asm__ volatile("rep movs" #suffix : "+D"(to), "+S"(from), "+c"(count) : : "memory"); \
        else if (model->writes)                                                                    \
            __asm__ volatile("rep stos" #suffix : "+D"(to), "+c"(count) : "a"(value) : "memory");  \
        else                                                                                       \
            __asm__ volatile("rep lods" #suffix                                                    \
                             : "+S"(from), "+c"(count), "+a"(value)                                \
                             :                                                                     \
                             : "memory");                                                          \
    } while (0)

__attribute__((noinline)) static void execute(const struct watch_model *model)
{
    uint8_t *to = area + model->to, *from = area + model->from;
    uint64_t count = model->count, value = watch_model_below(2) ? 0 : 0x5a5a5a5a5a5a5a5a;
    uint64_t flags = arch_irq_save();

    if (model->down)
        __asm__ volatile("std" : : : "memory");
    switch (model->reads | model->writes) {
    case 1:
        EXECUTE(b);
        break;
    case 4:
        EXECUTE(l);
        break;
    default:
        EXECUTE(q);
    }
    __asm__ volatile("cld" : : : "memory");
    arch_irq_restore(flags);
}

/* The map of instructions does not cover `rep stosw`. */
static struct watch_model random_string(void)
{
    static const unsigned sizes[] = {1, 4, 8};
    static const char *const names[] = {"stos", "lods", "movs"};
    unsigned kind = watch_model_below(3), size = sizes[watch_model_below(3)];
    struct watch_model model = {.name = names[kind],
                                .reads = kind > 0 ? size : 0,
                                .writes = kind != 1 ? size : 0,
                                .count = 1 + watch_model_below(WATCH_MODEL_AREA / 2 / size),
                                .down = watch_model_below(4) == 0,
                                .times = 1};

    watch_model_place(&model, true);
    return model;
}

static void debugreg_string_claims(unsigned rounds)
{
    watch_model_start((uintptr_t)area, (struct breakpoint_target){NULL, 0});
    for (unsigned i = 0; i < rounds; i++) {
        struct watch_model model = random_string();

        watch_model_round(&model, 1, execute);
    }
    watch_model_claims(100);
}

static int ktap_command_debugreg_string(int argc, char **argv)
{
    return watch_model_run(argc, argv, ROUNDS, debugreg_string_claims);
}

PITOT_COMMAND_AS(ktap_debugreg_string, "ktap-debugreg_string", "[ROUNDS SEED]",
                 "repeated string instructions under random watches", ktap_command_debugreg_string,
                 0);
