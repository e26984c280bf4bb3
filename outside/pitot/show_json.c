/* SPDX-License-Identifier: BSD-2-Clause */
/* show_json_string, show_json_wide and show_json_strings of show_forms.h. */
#include <stdlib.h>
#include <string.h>

#include "outside/pitot/plain.h"
#include "outside/pitot/show_forms.h"

#define TAB 8 /* columns */

void show_json_string(FILE *out, const char *text)
{
    char *plain = plain_text(text);

    fputc('"', out);
    for (const char *at = plain; at && *at; at++)
        if (*at == '"' || *at == '\\')
            fprintf(out, "\\%c", *at);
        else if (*at == '<') /* </script> would end the page's data */
            fputs("\\u003c", out);
        else
            fputc(*at, out);
    fputc('"', out);
    free(plain);
}

void show_json_wide(FILE *out, const char *text)
{
    char *wide = malloc(TAB * strlen(text) + 1), *to = wide;

    for (; wide && *text; text++)
        if (*text == '\t')
            do
                *to++ = ' ';
            while ((to - wide) % TAB);
        else
            *to++ = *text;
    if (wide)
        *to = '\0';
    show_json_string(out, wide ? wide : "");
    free(wide);
}

void show_json_strings(FILE *out, const struct interned *strings, const char *before,
                       const char *after)
{
    for (uint32_t i = 0; i < strings->count; i++) {
        fprintf(out, "%s%s", i ? "," : "", before);
        show_json_string(out, interned_key(strings, i));
        fputs(after, out);
    }
}
