/* SPDX-License-Identifier: BSD-2-Clause */
/* See suppressions.h. */
#define _GNU_SOURCE
#include "outside/pitot/suppressions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lib/glob.h"
#include "outside/pitot/array.h"
#include "outside/pitot/contexts.h"
#include "outside/pitot/files.h"
#include "outside/pitot/name.h"

#define FUNCTIONS_MOST 16 /* of a line */

struct suppression {
    unsigned count;
    char *globs[FUNCTIONS_MOST]; /* innermost first */
};

static struct suppression *all;
static size_t count, room;

static char *trim(char *text)
{
    size_t length;

    text += strspn(text, " \t");
    length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

/* Cuts the first function off *rest, which becomes NULL after the last one. */
static char *next_glob(char **rest)
{
    char *glob = *rest, *end = strstr(glob, " < ");

    *rest = end ? end + 3 : NULL;
    if (end)
        *end = '\0';
    return trim(glob);
}

static int add_line(char *line, const char *path, unsigned number, struct refusal *why)
{
    struct suppression one = {.count = 0};
    int error;

    line[strcspn(line, "#")] = '\0';
    line = trim(line);
    if (*line == '\0')
        return 0;
    for (char *rest = line; rest;) {
        const char *glob = one.count < FUNCTIONS_MOST ? next_glob(&rest) : "";

        if (*glob == '\0')
            return refuse(why, EINVAL, "%s:%u: up to %d functions are allowed, as in: a < b_*",
                          path, number, FUNCTIONS_MOST);
        one.globs[one.count] = strdup(glob);
        if (!one.globs[one.count++])
            return refuse(why, ENOMEM, "out of memory");
    }
    error = array_grow(&all, &room, count + 1, sizeof(*all), "suppressions", why);
    if (!error)
        all[count++] = one;
    return error;
}

int suppressions_read(const char *path, struct refusal *why)
{
    int descriptor = input_open_text(path, "--suppress FILE names lines of functions", why);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "r");
    unsigned number = 0;
    char *line = NULL;
    size_t size = 0;
    int error = 0;

    if (descriptor < 0)
        return descriptor;
    if (!file)
        return refuse(why, errno, "%s: %s", path, strerror(errno));
    while (!error && getline(&line, &size, file) >= 0)
        error = add_line(line, path, ++number, why);
    if (!error && ferror(file))
        error = refuse(why, errno, "%s: %s", path, strerror(errno));
    free(line);
    fclose(file);
    return error;
}

static bool matches(const struct suppression *one, uint64_t ip, uint32_t context)
{
    long depth = contexts_depth(context);
    char name[NAME_ROOM];

    for (unsigned i = 0; i < one->count; i++) {
        if (i == 0 && ip) {
            name_function(ip, name);
        } else {
            if (depth-- == 0)
                return false;
            name_function(contexts_caller(context), name);
            context = contexts_outer(context);
        }
        if (!glob_match(one->globs[i], name))
            return false;
    }
    return true;
}

bool suppressions_match(uint64_t ip, uint32_t context)
{
    for (size_t i = 0; i < count; i++)
        if (matches(&all[i], ip, context))
            return true;
    return false;
}
