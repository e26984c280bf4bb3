/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses the options of pitot_start, spelt as for `perf record`. Task context. */
#include "core/embed/embed.h"

#include "core/lib/number.h"
#include "core/lib/string.h"

/* The current argument, with its NUL, and the start of the next. */
struct scanner {
    const char *at;
    char value[EVENT_NAME_SIZE + 1]; /* room to see that an event is too long */
};

/* Returns false at the end. Cuts an argument too long for an event, but leaves it too long. */
static bool next_argument(struct scanner *scanner)
{
    size_t length = 0;

    while (*scanner->at == ' ')
        scanner->at++;
    if (!*scanner->at)
        return false;
    for (; *scanner->at && *scanner->at != ' '; scanner->at++)
        if (length < EVENT_NAME_SIZE)
            scanner->value[length++] = *scanner->at;
    scanner->value[length] = '\0';
    return true;
}

int embed_options_parse(const char *text, struct embed_options *options, struct refusal *why)
{
    struct scanner scanner = {.at = text};
    int error = 0;

    *options = (struct embed_options){.count = 0};
    while (!error && next_argument(&scanner)) {
        char letter =
            scanner.value[0] == '-' && scanner.value[1] && !scanner.value[2] ? scanner.value[1] : 0;

        if (letter == 'g')
            options->chains = true;
        else if (letter != 'e' && letter != 'c')
            error = refuse(why, EINVAL, "%s: -e EVENT, -c N and -g are allowed", scanner.value);
        else if (!next_argument(&scanner))
            error = refuse(why, EINVAL, "-%c needs an argument", letter);
        else if (letter == 'e' && options->count == EMBED_EVENTS_MAX)
            error = refuse(why, EINVAL, "-e %s: up to %d events are allowed", scanner.value,
                           EMBED_EVENTS_MAX);
        else if (letter == 'e')
            error = event_spec_parse(scanner.value, &options->event[options->count++], why);
        else if (!number_parse(scanner.value, UINT64_MAX, &options->period) || !options->period)
            error = refuse(why, EINVAL, "-c %s: must be a number from 1 on", scanner.value);
    }
    if (!error && options->count == 0)
        error = refuse(why, EINVAL, "no event: -e SYSTEM:NAME or -e mem:ADDR is allowed");
    return error;
}
