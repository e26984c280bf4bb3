/* SPDX-License-Identifier: BSD-2-Clause */
/* See function_text.h. */
#include "outside/pitot/function_text.h"

#include <string.h>

char *function_split(char *text)
{
    char *colon = text;

    while ((colon = strchr(colon, ':')) != NULL && colon[1] == ':')
        colon += 2;
    if (colon)
        *colon++ = '\0';
    return colon;
}
