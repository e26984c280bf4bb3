/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * show_folded of show_forms.h. Source: the README of Brendan Gregg's FlameGraph, whose
 * stackcollapse programs write this form; a semicolon in a name would end it.
 */
#include <stdlib.h>
#include <string.h>

#include "outside/pitot/plain.h"
#include "outside/pitot/show_forms.h"

static void write_name(FILE *out, const char *name)
{
    char *plain = plain_text(name);

    for (char *at = plain; at && *at; at++)
        fputc(*at == ';' ? ':' : *at, out);
    free(plain);
}

static void write_chain(FILE *out, const struct profile *profile, uint32_t node)
{
    if (node == PROFILE_ROOT)
        return;
    write_chain(out, profile, profile_node(profile, node)->parent);
    fputc(';', out);
    write_name(out, profile_function(profile, node));
}

/* A row's thread without its tid, and its chain. */
struct line {
    uint32_t comm, node;
};

static uint32_t line_of(const struct profile *profile, const struct profile_row *row,
                        struct interned *comms, struct interned *lines)
{
    const char *thread = interned_key(&profile->threads, row->thread);
    struct line line = {interned_number(comms, thread, (size_t)(strrchr(thread, '(') - 1 - thread)),
                        row->node};

    return interned_number(lines, &line, sizeof(line));
}

void show_folded(FILE *out, const struct profile *profile, uint32_t event)
{
    struct interned comms = {0}, lines = {0};
    uint64_t *weights = profile_array(profile->rows.count, sizeof(*weights));

    for (uint32_t i = 0; i < profile->rows.count; i++)
        if (profile_row(profile, i)->event == event)
            weights[line_of(profile, profile_row(profile, i), &comms, &lines)] +=
                profile->sums[i].weight;
    for (uint32_t i = 0; i < lines.count; i++) {
        const struct line *line = interned_key(&lines, i);

        write_name(out, interned_key(&comms, line->comm));
        write_chain(out, profile, line->node);
        fprintf(out, " %llu\n", (unsigned long long)weights[i]);
    }
    free(weights);
    interned_free(&comms);
    interned_free(&lines);
}
