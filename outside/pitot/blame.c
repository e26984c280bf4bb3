/* SPDX-License-Identifier: BSD-2-Clause */
/* `pitot blame` of command.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/words/number.h"
#include "outside/pitot/blame_text.h"
#include "outside/pitot/command.h"
#include "outside/pitot/contexts.h"
#include "outside/pitot/place.h"
#include "outside/pitot/threads.h"

#define WRITES_DEFAULT 3

static struct place places[PLACES_MAX];

static size_t place_count;

static void slide_places(uint64_t slide)
{
    for (size_t i = 0; i < place_count; i++)
        places[i].address += places[i].fixed ? 0 : slide;
}

static int take(const struct wire_head *record, struct refusal *why)
{
    switch (record->kind) {
    case WIRE_SLIDE:
        slide_places(((const struct wire_slide *)record)->slide);
        return 0;
    case WIRE_THREAD:
        return threads_add((const void *)record, why);
    case WIRE_WORD:
        return blame_add((const void *)record, why);
    case WIRE_CLOCK:
        return blame_clock((const void *)record, why);
    default:
        return 0;
    }
}

static int read_places(const struct pitot_options *options, const struct kernel *kernel,
                       struct refusal *why)
{
    for (size_t i = 0; i < options->place_count; i++) {
        struct place *place = &places[i];
        int error;

        place->name = strdup(options->places[i]);
        if (!place->name)
            return refuse(why, ENOMEM, "out of memory");
        place->name[strcspn(place->name, "/")] = '\0';
        place->fixed = number_digit(*place->name, 10) >= 0;
        error = place_read_range(options->places[i], kernel, "place", place->name, &place->address,
                                 &place->length, why);
        if (error)
            return error;
        if (place->length > PLACE_LONGEST)
            return refuse(why, EINVAL, "place \"%s\": %" PRIu64 " bytes, up to %d are possible",
                          place->name, place->length, PLACE_LONGEST);
    }
    place_count = options->place_count;
    return 0;
}

/* The plugin's arguments. */
static char *ask(const struct pitot_options *options)
{
    char *wanted = NULL;
    size_t size;
    FILE *text = open_memstream(&wanted, &size);

    if (!text)
        return NULL;
    fprintf(text, ",writes=%" PRIu64, options->writes ? options->writes : WRITES_DEFAULT);
    for (size_t i = 0; i < options->place_count; i++)
        fprintf(text, ",%s=%" PRIx64 ":%" PRIu64, places[i].fixed ? "at" : "place",
                places[i].address, places[i].length);
    return fclose(text) == 0 ? wanted : NULL;
}

int command_blame(const struct command *command, struct watch *watch, struct refusal *why)
{
    const struct pitot_options *options = command->options;
    int error = read_places(options, watch->kernel, why);
    char *wanted;

    if (error)
        return error;
    wanted = ask(options);
    if (!wanted)
        return refuse(why, ENOMEM, "out of memory");
    watch->wanted = wanted;
    watch->chains = true;
    watch->take = take;
    error = watch_run(watch, why);
    free(wanted);
    if (error)
        return error;
    watch_tell_losses(watch);
    if (watch->whole && !watch_tell_unrun(watch))
        blame_print(places, options->place_count, watch->kernel->name);
    return 0;
}
