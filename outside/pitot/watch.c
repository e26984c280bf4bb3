/* SPDX-License-Identifier: BSD-2-Clause */
/* See watch.h. */
#define _GNU_SOURCE
#include "outside/pitot/watch.h"

#include <stdio.h>
#include <stdlib.h>

#include "outside/pitot/contexts.h"
#include "outside/pitot/elf_symbols.h"
#include "outside/pitot/plain.h"
#include "outside/pitot/plugin.h"
#include "outside/pitot/qemu.h"

#define OPTIONS_ADDED 6 /* -plugin, -d, -D, and their values */

static const char *const rights[WATCH_RIGHTS] = {
    [WATCH_READS] = "gives plugins no registers; 9.2 and later",
    [WATCH_WRITES] = "lets plugins change no registers; 10.2 and later",
    [WATCH_SKIPS] = "lets plugins leave out no calls; 11.0 and later",
};

static struct wire_reader reader;
static struct plugin plugin;
static struct qemu_version version;
static struct qemu_log qemu_log;

int watch_prepare(struct watch *watch, struct refusal *why)
{
    int error = qemu_ask(watch->command[0], &version, why);

    if (!error)
        error = qemu_check_cpus(watch->command, &version, why);
    if (!error)
        error = plugin_find(&plugin, watch->command[0], &version, why);
    for (unsigned right = 0; right < WATCH_RIGHTS && !error; right++)
        if (watch->needs[right] && !plugin.rights[right])
            error = refuse(why, EINVAL, "%s: QEMU %u.%u %s do", watch->needs[right], version.major,
                           version.minor, rights[right]);
    if (!error && watch->request.chains && qemu_log_is_needed(&version))
        error = qemu_log_check(&qemu_log, &version, watch->command, why);
    if (!error && !plugin.tried)
        plain_tell("pitot: QEMU %u.%u has not been tried; %s is loaded", version.major,
                   version.minor, plugin.file);
    return error;
}

static int take_begin(struct watch *watch, const struct wire_begin *begin, struct refusal *why)
{
    if (begin->version != WIRE_VERSION)
        return refuse(why, EINVAL,
                      "%s writes records of version %u, not %d: rebuild it by make outside",
                      plugin.file, begin->version, WIRE_VERSION);
    watch->begun = true;
    watch->cpus = begin->cpus;
    return 0;
}

static int take_count(struct watch *watch, const struct wire_count *count, struct refusal *why)
{
    if (count->event >= watch->events->count)
        return refuse(why, EINVAL, "the plugin counted an event %u, of %u", count->event,
                      watch->events->count);
    watch->hits[count->event] = count->hits;
    return 0;
}

static int give(struct watch *watch, const struct wire_head *record, struct refusal *why)
{
    return watch->take ? watch->take(record, why) : 0;
}

static int refuse_build(const struct watch *watch, const struct wire_strange *strange,
                        struct refusal *why)
{
    return refuse(why, EINVAL,
                  "%s is another build than the kernel that runs: %lu of %lu blocks of its code "
                  "differ; --kernel ELF names the right one",
                  watch->kernel->path, (unsigned long)strange->different,
                  (unsigned long)strange->blocks);
}

static void tell_unknown(const struct watch *watch, uint64_t address)
{
    fprintf(
        stderr,
        "pitot: the code at 0x%llx is not in %s, nor is any that has run in the upper half since "
        "the last reset; --kernel ELF names another\n",
        (unsigned long long)address, watch->kernel->name);
}

static int take_record(struct watch *watch, const struct wire_head *record, struct refusal *why)
{
    int error;

    if (!watch->begun && record->kind != WIRE_BEGIN)
        return refuse(why, EINVAL, "%s did not send its version first: rebuild it by make outside",
                      plugin.file);
    switch (record->kind) {
    case WIRE_BEGIN:
        return take_begin(watch, (const void *)record, why);
    case WIRE_CONTEXT:
        error = contexts_add((const void *)record, why);
        return error ? error : give(watch, record, why);
    case WIRE_COUNT:
        return take_count(watch, (const void *)record, why);
    case WIRE_SLIDE:
        watch->slide = ((const struct wire_number *)record)->number;
        elf_symbols_slide(watch->slide);
        return give(watch, record, why);
    case WIRE_STRANGE:
        return refuse_build(watch, (const void *)record, why);
    case WIRE_PATCHED:
        watch->patched = ((const struct wire_number *)record)->number;
        return 0;
    case WIRE_LATE:
        watch->late = ((const struct wire_number *)record)->number;
        return 0;
    case WIRE_UNKNOWN:
        watch->unknown = true;
        tell_unknown(watch, ((const struct wire_number *)record)->number);
        return 0;
    case WIRE_ONE_THREAD:
        return qemu_refuse_one_thread(&version, why);
    case WIRE_END:
        watch->end = *(const struct wire_end *)record;
        watch->whole = true;
        return 0;
    default:
        return give(watch, record, why);
    }
}

static int take_bytes(struct watch *watch, size_t count, struct refusal *why)
{
    const struct wire_head *record;
    int found, error;

    wire_filled(&reader, count);
    while ((found = wire_next(&reader, &record, why)) > 0)
        if ((error = take_record(watch, record, why)) != 0)
            return error;
    return found ? found : watch->taken ? watch->taken(why) : 0;
}

/*
 * Takes the plugin's output until QEMU exits. After an error, terminates QEMU, but still reads the
 * output so that QEMU does not block.
 */
static int follow(struct watch *watch, struct machine *machine, struct refusal *why)
{
    size_t room, count;
    void *at = wire_room(&reader, &room);
    int error = 0;

    while ((count = machine_read(machine, at, room)) > 0) {
        if (error)
            continue;
        error = take_bytes(watch, count, why);
        at = wire_room(&reader, &room);
        if (error)
            machine_stop(machine);
    }
    watch->asked = machine->asked;
    watch->status = machine_finish(machine);
    return error;
}

/*
 * Returns a copy of the command with room for the options that `add` puts after the program's name;
 * NULL: no memory.
 */
static char **copy_command(char *const *command)
{
    size_t count = 0;
    char **all;

    while (command[count])
        count++;
    all = calloc(count + OPTIONS_ADDED + 1, sizeof(*all));
    for (size_t i = 0; all && i < count; i++)
        all[i] = command[i];
    return all;
}

static void add(char **command, char *option, char *value)
{
    size_t count = 1;

    while (command[count])
        count++;
    command[count + 2] = NULL;
    for (; count > 1; count--)
        command[count + 1] = command[count - 1];
    command[1] = option;
    command[2] = value;
}

/* The plugin reads QEMU's log, if it needs that. */
static int prepare_log(char **command, struct refusal *why)
{
    static char items[] = "-d", files[] = "-D";
    int error;

    error = qemu_log_prepare(&qemu_log, command, why);
    if (error)
        return error;
    add(command, items, qemu_log.items);
    add(command, files, qemu_log.files);
    return 0;
}

static int run(struct watch *watch, char **command, struct refusal *why)
{
    static char option[] = "-plugin";
    struct machine machine;
    char *argument;
    int error = machine_prepare(&machine, why);

    if (error)
        return error;
    argument = plugin_argument(&plugin, watch, machine.out, &qemu_log, why);
    if (!argument)
        return -ENOMEM;
    add(command, option, argument);
    error = machine_start(&machine, command, watch->streams, why);
    if (!error)
        error = follow(watch, &machine, why);
    free(argument);
    return error;
}

int watch_run(struct watch *watch, struct refusal *why)
{
    bool logs = watch->request.chains && qemu_log_is_needed(&version);
    char **command = copy_command(watch->command);
    int error = command ? 0 : refuse(why, ENOMEM, "out of memory");

    if (!error && logs && !*qemu_log.items) /* the command follows calls in any case */
        error = qemu_log_check(&qemu_log, &version, watch->command, why);
    if (!error && logs)
        error = prepare_log(command, why);
    if (!error)
        error = run(watch, command, why);
    if (*qemu_log.folder)
        qemu_log_finish(&qemu_log);
    free(command);
    return error;
}

bool watch_ran(const struct watch *watch)
{
    return watch->whole && watch->end.instructions > 0;
}

void watch_tell(uint64_t count, const char *noun, const char *what)
{
    if (count)
        fprintf(stderr, "pitot: %llu %s%s %s\n", (unsigned long long)count, noun,
                count == 1 ? "" : "s", what);
}

bool watch_tell_empty(const struct watch *watch, const struct pitot_options *options)
{
    if (!watch_ran(watch) || watch->end.within > 0 || !(options->from || options->until))
        return false;
    if (options->from)
        fprintf(stderr, "pitot: --start %s was not reached\n", options->from);
    else
        fprintf(stderr, "pitot: nothing ran before --until %s\n", options->until);
    return true;
}

static void tell_file(const struct watch *watch)
{
    if (watch->slide)
        fprintf(stderr, "pitot: the kernel was relocated by %s0x%llx from %s\n",
                watch->slide >> 63 ? "-" : "",
                (unsigned long long)(watch->slide >> 63 ? -watch->slide : watch->slide),
                watch->kernel->name);
    if (watch->late)
        fprintf(stderr,
                "pitot: %llu block%s of its code ran before that was known: hits there are "
                "missing\n",
                (unsigned long long)watch->late, watch->late == 1 ? "" : "s");
    if (watch->patched)
        fprintf(stderr, "pitot: %llu place%s differ%s from %s: patched, or overwritten\n",
                (unsigned long long)watch->patched, watch->patched == 1 ? "" : "s",
                watch->patched == 1 ? "s" : "", watch->kernel->name);
}

/* A signal does not excuse other code that has run where kernels are. */
static void tell_unrun(const struct watch *watch)
{
    if (watch->asked && !watch->unknown)
        fprintf(stderr, "pitot: a signal ended QEMU before code of the kernel's file ran\n");
    else if (watch->end.blocks == 0)
        fprintf(stderr, "pitot: QEMU exited before any code ran\n");
    else
        fprintf(stderr, "pitot: no code of the kernel's file ran; --kernel ELF names another\n");
}

void watch_tell_losses(const struct watch *watch)
{
    tell_file(watch);
    if (!watch->begun)
        fprintf(stderr, "pitot: QEMU exited before its plugin wrote anything\n");
    else if (!watch->whole)
        fprintf(stderr, "pitot: QEMU was killed: its last counts are lost\n");
    else if (!watch_ran(watch))
        tell_unrun(watch);
    watch_tell(watch->end.samples_lost, "sample", "lost: the pipe was closed");
    watch_tell(watch->end.samples_left_out, "sample", "left out: --max was reached");
    if (!watch->request.chains)
        return;
    watch_tell(watch->end.contexts_lost, "chain", "cut: no room for more calling contexts");
    watch_tell(watch->end.chains_ended, "chain", "with callers that are not known: [not known]");
    if (watch->end.doubtful)
        fprintf(stderr, "pitot: %llu of %llu stack switches in doubt\n",
                (unsigned long long)watch->end.doubtful, (unsigned long long)watch->end.switches);
}
