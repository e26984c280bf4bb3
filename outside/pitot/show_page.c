/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * show_page of show.h, and its parts: the files of outside/show, and the profile as JSON
 * between them. The linker has put these files into the program (outside/outside.mk).
 */
#include "outside/pitot/show.h"

extern const char _binary_answer_js_start[], _binary_answer_js_end[];
extern const char _binary_page_css_start[], _binary_page_css_end[];
extern const char _binary_page_html_start[], _binary_page_html_end[];
extern const char _binary_page_js_start[], _binary_page_js_end[];

static void write_part(FILE *out, const char *from, const char *to)
{
    fwrite(from, 1, (size_t)(to - from), out);
}

static void write_units(FILE *out, const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->events.count; i++)
        fprintf(out, "%s\"%s\"", i ? "," : "", profile_unit(interned_key(&profile->events, i)));
}

/* Node 0 has neither a caller nor a name. */
static void write_nodes(FILE *out, const struct profile *profile)
{
    fputs("0,-1", out);
    for (uint32_t i = 1; i < profile->nodes.count; i++)
        fprintf(out, ",%u,%u", profile_node(profile, i)->parent, profile_node(profile, i)->name);
}

static void write_rows(FILE *out, const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->rows.count; i++) {
        const struct profile_row *row = profile_row(profile, i);
        long place = row->place == PROFILE_NO_PLACE ? -1 : (long)row->place;

        fprintf(out, "%s%u,%u,%u,%ld,%llu,%llu", i ? ",\n" : "", row->event, row->thread, row->node,
                place, (unsigned long long)profile->sums[i].weight,
                (unsigned long long)profile->sums[i].samples);
    }
}

static void write_strings(FILE *out, const char *name, const struct interned *strings)
{
    fprintf(out, ",\n\"%s\":[", name);
    show_json_strings(out, strings, "", "");
    fputc(']', out);
}

void show_page_begin(FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<style>\n", out);
    write_part(out, _binary_page_css_start, _binary_page_css_end);
    fputs("</style>\n</head>\n<body>\n", out);
    write_part(out, _binary_page_html_start, _binary_page_html_end);
}

void show_page_profile(FILE *out, const struct profile *profile, const char *title,
                       const char *counted)
{
    fputs("<script type=\"application/json\" id=\"profile\">\n{\"title\":", out);
    show_json_string(out, title);
    fputs(",\n\"counted\":", out);
    show_json_string(out, counted);
    write_strings(out, "events", &profile->events);
    fputs(",\n\"units\":[", out);
    write_units(out, profile);
    fputc(']', out);
    write_strings(out, "threads", &profile->threads);
    write_strings(out, "names", &profile->names);
    write_strings(out, "places", &profile->places);
    fputs(",\n\"nodes\":[", out);
    write_nodes(out, profile);
    fputs("],\n\"rows\":[", out);
    write_rows(out, profile);
    fputs("]}\n</script>\n", out);
}

void show_page_end(FILE *out)
{
    fputs("<script>\n", out);
    write_part(out, _binary_answer_js_start, _binary_answer_js_end);
    write_part(out, _binary_page_js_start, _binary_page_js_end);
    fputs("</script>\n</body>\n</html>\n", out);
}

void show_page(FILE *out, const struct profile *profile, const char *title)
{
    show_page_begin(out);
    show_page_profile(out, profile, title, "samples");
    show_page_end(out);
}
