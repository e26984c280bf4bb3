/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Flame graphs of show.h: a picture, without a program in it, so that it can be part of a page; and
 * the lines of which other programs draw one.
 */
#include <stdlib.h>
#include <string.h>

#include "outside/pitot/plain.h"
#include "outside/pitot/show.h"

#define WIDTH   1200.0
#define MARGIN  10.0
#define HEIGHT  17 /* of a function */
#define TOP     30
#define NARROW  0.3 /* narrower functions are left out */
#define LETTER  6.6 /* width */
#define PADDING 3

/* --- The picture: outermost functions at the bottom --- */

struct drawing {
    FILE *out;
    const struct profile *profile;
    const char *unit;
    uint64_t *weights;      /* of each node, with what it calls */
    uint32_t *first, *next; /* its first child, and its next sibling; 0: none */
    double scale;
    unsigned height;
};

/* Writes at most `most` characters, all if it is 0. */
static void write_text(FILE *out, const char *text, size_t most)
{
    char *plain = plain_text(text);
    size_t count = 0;

    for (const char *at = plain; at && *at; at++) {
        count += (*at & 0xc0) != 0x80;
        if (most && count > most)
            break;
        if (*at == '<' || *at == '&' || *at == '>')
            fprintf(out, "&#%d;", *at);
        else
            fputc(*at, out);
    }
    free(plain);
}

/* The same function has the same colour everywhere. */
static void write_colour(FILE *out, const char *name)
{
    unsigned sum = 0;

    for (const char *at = name; *at; at++)
        sum = sum * 31 + (unsigned char)*at;
    if (*name == '[')
        fputs("hsl(0,0%,80%)", out);
    else
        fprintf(out, "hsl(%u,%u%%,%u%%)", sum % 50 + 5, 70 + sum / 50 % 20, 60 + sum / 1000 % 12);
}

static void draw_node(struct drawing *drawing, uint32_t node, unsigned level, double x)
{
    const char *name = node == PROFILE_ROOT ? "all" : profile_function(drawing->profile, node);
    double width = (double)drawing->weights[node] * drawing->scale;
    unsigned y = drawing->height - (level + 1) * HEIGHT;
    size_t letters = width > 2 * PADDING ? (size_t)((width - 2 * PADDING) / LETTER) : 0;
    FILE *out = drawing->out;

    fputs("<g><title>", out);
    write_text(out, name, 0);
    fprintf(out,
            " (%llu %s, %.2f%%)</title><rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%d\" ",
            (unsigned long long)drawing->weights[node], drawing->unit,
            100.0 * (double)drawing->weights[node] / (double)drawing->weights[PROFILE_ROOT], x, y,
            width, HEIGHT - 1);
    fputs("fill=\"", out);
    write_colour(out, name);
    fputs("\"/>", out);
    if (letters > 2) {
        fprintf(out, "<text x=\"%.1f\" y=\"%u\">", x + PADDING, y + HEIGHT - 5);
        write_text(out, name, letters);
        fputs("</text>", out);
    }
    fputs("</g>\n", out);
}

static void draw(struct drawing *drawing, uint32_t node, unsigned level, double x)
{
    draw_node(drawing, node, level, x);
    for (uint32_t child = drawing->first[node]; child; child = drawing->next[child]) {
        double width = (double)drawing->weights[child] * drawing->scale;

        if (width >= NARROW)
            draw(drawing, child, level + 1, x);
        x += width;
    }
}

/* Returns the levels of the functions that are drawn. */
static unsigned add_up(struct drawing *drawing, uint32_t event)
{
    const struct profile *profile = drawing->profile;
    unsigned levels = 0, *level = profile_array(profile->nodes.count, sizeof(*level));

    for (uint32_t i = 0; i < profile->rows.count; i++)
        if (profile_row(profile, i)->event == event)
            drawing->weights[profile_row(profile, i)->node] += profile->sums[i].weight;
    /* A node comes after its caller. */
    for (uint32_t i = (uint32_t)profile->nodes.count; i-- > 1;) {
        uint32_t caller = profile_node(profile, i)->parent;

        drawing->weights[caller] += drawing->weights[i];
        drawing->next[i] = drawing->first[caller];
        drawing->first[caller] = i;
    }
    drawing->scale = (WIDTH - 2 * MARGIN) / (double)drawing->weights[PROFILE_ROOT];
    for (uint32_t i = 0; i < profile->nodes.count; i++) {
        level[i] = i == PROFILE_ROOT ? 1 : level[profile_node(profile, i)->parent] + 1;
        if ((double)drawing->weights[i] * drawing->scale >= NARROW && level[i] > levels)
            levels = level[i];
    }
    free(level);
    return levels;
}

void show_svg(FILE *out, const struct profile *profile, uint32_t event, const char *title)
{
    size_t count = profile->nodes.count;
    struct drawing drawing = {.out = out,
                              .profile = profile,
                              .unit = profile_unit(interned_key(&profile->events, event)),
                              .weights = profile_array(count, sizeof(*drawing.weights)),
                              .first = profile_array(count, sizeof(*drawing.first)),
                              .next = profile_array(count, sizeof(*drawing.next))};

    drawing.height = TOP + add_up(&drawing, event) * HEIGHT;
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %u\" "
            "font-family=\"monospace\" font-size=\"11\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n"
            "<text x=\"%.0f\" y=\"19\" font-size=\"13\">",
            WIDTH, drawing.height + HEIGHT / 2, MARGIN);
    write_text(out, title, 0);
    fputs(": ", out);
    write_text(out, interned_key(&profile->events, event), 0);
    fputs("</text>\n", out);
    draw(&drawing, PROFILE_ROOT, 0, MARGIN);
    fputs("</svg>\n", out);
    free(drawing.weights);
    free(drawing.first);
    free(drawing.next);
}

/* --- Lines --- */

/*
 * Source: the README of Brendan Gregg's FlameGraph, whose stackcollapse programs write this form; a
 * semicolon in a name would end it.
 */
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
