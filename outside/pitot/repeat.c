/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `pitot repeat` of command.h: the same run again and again, shaken by one seed after another: how
 * often its console says what is looked for, or nothing any more, and the last words of each CPU
 * of the first run that does.
 */
#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>

#include "outside/pitot/command.h"
#include "outside/pitot/plain.h"
#include "outside/pitot/repeat_run.h"

#define CALLS      20 /* of each CPU */
#define SEEDS_MOST 10000

static uint64_t counts[REPEAT_OUTCOMES];
static bool heard; /* a run's console has said anything */

uint64_t seed_choose(void)
{
    uint32_t random = 0;

    if (getrandom(&random, sizeof(random), 0) < 0)
        return 1;
    return random % SEEDS_MOST + 1;
}

static void tell_run(const struct pitot_options *options, uint64_t number, uint64_t seed,
                     const struct repeat_run *run)
{
    fflush(stdout);
    switch (run->outcome) {
    case REPEAT_SAID:
        plain_tell("pitot: run %" PRIu64 ", seed %" PRIu64 ": %s", number, seed, run->line);
        break;
    case REPEAT_SILENT:
        plain_tell("pitot: run %" PRIu64 ", seed %" PRIu64 ": nothing for %" PRIu64 " s", number,
                   seed, options->silence);
        break;
    case REPEAT_RUNS_ON:
        plain_tell("pitot: run %" PRIu64 ", seed %" PRIu64 ": still ran after %" PRIu64 " s",
                   number, seed, options->timeout);
        break;
    default:
        plain_tell("pitot: run %" PRIu64 ", seed %" PRIu64 ": ended with status %d%s", number, seed,
                   run->status, run->outcome == REPEAT_IDLE ? ", and the kernel has not run" : "");
    }
}

static void tell_words(FILE *words)
{
    int byte;

    while ((byte = getc(words)) != EOF)
        putc(byte, stderr);
}

static void tell_all(const struct pitot_options *options, uint64_t first, uint64_t runs)
{
    if (counts[REPEAT_SILENT] && !heard)
        plain_tell("pitot: QEMU's standard output stayed empty: is the kernel's console "
                   "there, by -serial stdio or -debugcon stdio?");
    plain_tell("[ pitot repeat: %" PRIu64 " run%s, seed %" PRIu64 " and on: %" PRIu64
               " said %s, %" PRIu64 " nothing for %" PRIu64 " s, %" PRIu64
               " still ran after %" PRIu64 " s, %" PRIu64 " ended ]",
               runs, runs == 1 ? "" : "s", first, counts[REPEAT_SAID], options->pattern,
               counts[REPEAT_SILENT], options->silence, counts[REPEAT_RUNS_ON], options->timeout,
               counts[REPEAT_ENDED] + counts[REPEAT_IDLE]);
}

int command_repeat(const struct command *command, struct watch *watch, struct refusal *why)
{
    struct pitot_options options = *command->options;
    const struct command last = {&options, command->argc, command->argv};
    uint64_t first = options.shake ? options.shake : seed_choose(), runs = 0;
    int error = repeat_run_begin(&options, why);

    options.calls = CALLS;
    while (!error && runs < options.runs && !repeat_run_is_asked() && !counts[REPEAT_IDLE]) {
        struct repeat_run run;

        watch->request.shake = first + runs;
        error = repeat_run(&last, watch, &run, why);
        if (error || repeat_run_is_asked())
            break;
        tell_run(&options, ++runs, watch->request.shake, &run);
        if (counts[run.outcome]++ == 0 && run.outcome != REPEAT_ENDED)
            tell_words(run.words);
        fclose(run.words);
        heard |= run.heard;
    }
    if (error)
        return error;
    tell_all(&options, first, runs);
    watch->status = counts[REPEAT_ENDED] == runs && runs == options.runs ? 0 : 1;
    return 0;
}
