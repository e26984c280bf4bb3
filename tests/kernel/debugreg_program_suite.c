/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Like debugreg_string, for a program: each instruction of tests/programs/accesses.h in turn, under
 * random overlapping watches. As in debugreg_mixed, a watch elsewhere makes the arbiter examine
 * each hit, also of unaligned accesses.
 */
#include "core/lib/print.h"
#include "core/symbols/symbols.h"
#include "kernel/hit/program.h"
#include "kernel/panic/panic.h"
#include "kernel/user/process.h"
#include "tests/kernel/ktap.h"
#include "tests/kernel/watch_model.h"
#include "tests/programs/accesses.h"

#define ROUNDS 100 /* of each instruction */
#define DOUBT  20  /* per cent of the counts, at most */
#define PATH   "/bin/accesses"

_Static_assert(ACCESS_AREA == WATCH_MODEL_AREA, "what the program accesses is what is watched");

#define ROW(name, reads, writes, how) {#name, reads, writes, ACCESS_##how},

static const struct row {
    const char *name;
    unsigned reads, writes;
    enum access_how how;
} rows[] = {ACCESSES(ROW)};

#define ROW_COUNT (sizeof(rows) / sizeof(rows[0]))

static unsigned failed;
static uint64_t elsewhere;

static void execute(const struct watch_model *model)
{
    char text[4][12],
        *argv[] = {(char *)PATH, (char *)model->name, text[0], text[1], text[2], text[3]};
    const unsigned number[] = {model->to, model->from, model->count, model->down};
    struct process *process;
    struct process_end end;
    struct refusal why;

    for (unsigned i = 0; i < 4; i++)
        print_into(text[i], sizeof(text[i]), "%u", number[i]);
    if (process_spawn(PATH, 6, argv, NULL, &process, &why))
        panic("%s", why.text);
    end = process_wait(process);
    failed += end.signal || end.code;
}

static struct watch_model random_access(const struct row *chosen)
{
    unsigned size = chosen->reads > chosen->writes ? chosen->reads : chosen->writes;
    bool repeated = chosen->how == ACCESS_REPEATED;
    struct watch_model model = {
        .name = chosen->name,
        .reads = chosen->reads,
        .writes = chosen->writes,
        .count = repeated ? 1 + watch_model_below(WATCH_MODEL_AREA / 2 / size) : 1,
        .down = repeated && watch_model_below(4) == 0,
        .times = 1};

    watch_model_place(&model, chosen->how != ACCESS_ONCE || size > 8 || watch_model_below(2));
    return model;
}

static void debugreg_program_claims(unsigned rounds)
{
    struct symbol area;
    struct refusal why;
    const struct program *program = program_load(PATH, &why);
    struct watch far;
    size_t count;

    if (!program ||
        symbol_table_find_name(symbol_table_of(&program->symbols), "access_area", &area, &count))
        panic("no access_area in " PATH);
    watch_model_start(area.address, (struct breakpoint_target){.program = program});
    failed = 0;
    if (!watch_arm(&far, &elsewhere, sizeof(elsewhere), ARCH_WRITE))
        return;
    for (unsigned i = 0; i < rounds * ROW_COUNT; i++) {
        struct watch_model model = random_access(&rows[i % ROW_COUNT]);

        watch_model_round(&model, 1, execute);
    }
    ktap_equal(watch_disarm(&far), 0, "a watch elsewhere has no hit");
    watch_model_claims(DOUBT);
    ktap_equal(failed, 0, "... and each program has ended as it should");
}

static int ktap_command_debugreg_program(int argc, char **argv)
{
    return watch_model_run(argc, argv, ROUNDS, debugreg_program_claims);
}

PITOT_COMMAND_AS(ktap_debugreg_program, "ktap-debugreg_program", "[ROUNDS SEED]",
                 "a program's accesses under random watches", ktap_command_debugreg_program, 0);
