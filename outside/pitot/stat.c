/* SPDX-License-Identifier: BSD-2-Clause */
/* `pitot stat` of command.h. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "outside/pitot/command.h"
#include "outside/pitot/plain.h"

#define SECOND_NS 1000000000ull

static unsigned long long clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (unsigned long long)now.tv_sec * SECOND_NS + (unsigned long long)now.tv_nsec;
}

static void print_count(uint64_t count, const char *name)
{
    plain_tell("%18llu      %s", (unsigned long long)count, name);
}

static void print_word(const char *word, const char *end)
{
    char *plain = plain_text(word);

    fprintf(stderr, "%s%s", plain ? plain : "", end);
    free(plain);
}

/* Prints the events, then the counts that every run has. */
static void print_counts(const struct watch *watch)
{
    for (unsigned i = 0; i < watch->events->count; i++) {
        const char *name = watch->events->event[i].name;

        if (watch->whole)
            print_count(watch->hits[i], name);
        else
            plain_tell("%18s      %s", "<not counted>", name);
    }
    if (watch->whole && !events_have(watch->events, EVENT_INSTRUCTIONS))
        print_count(watch->end.within, "instructions");
    if (watch->end.calls)
        print_count(watch->end.calls, "calls");
    if (watch->end.interrupts && !events_have(watch->events, EVENT_INTERRUPTS))
        print_count(watch->end.interrupts, "interrupts");
}

int command_stat(const struct command *command, struct watch *watch, struct refusal *why)
{
    unsigned long long begin = clock_ns(), elapsed;
    int error = watch_run(watch, why);

    if (error)
        return error;
    elapsed = clock_ns() - begin;
    fprintf(stderr, "\n Performance counter stats for '");
    for (char *const *word = watch->command; *word; word++)
        print_word(*word, word[1] ? " " : "':\n\n");
    print_counts(watch);
    fprintf(stderr, "\n%8llu.%09llu seconds time elapsed\n\n", elapsed / SECOND_NS,
            elapsed % SECOND_NS);
    watch_tell_empty(watch, command->options);
    watch_tell_losses(watch);
    return 0;
}
