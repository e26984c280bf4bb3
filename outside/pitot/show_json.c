/* SPDX-License-Identifier: BSD-2-Clause */
/* show_json_string and show_json_strings of show_forms.h. */
#include <stdlib.h>

#include "outside/pitot/plain.h"
#include "outside/pitot/show_forms.h"

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

void show_json_strings(FILE *out, const struct interned *strings, const char *before,
                       const char *after)
{
    for (uint32_t i = 0; i < strings->count; i++) {
        fprintf(out, "%s%s", i ? "," : "", before);
        show_json_string(out, interned_key(strings, i));
        fputs(after, out);
    }
}
