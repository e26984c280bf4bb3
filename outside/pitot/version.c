/* SPDX-License-Identifier: BSD-2-Clause */
/* See version.h. */
#include "outside/pitot/version.h"

#include <stdio.h>

#include "outside/pitot/plugin.h"

int version_print(void)
{
    struct refusal why;

    printf("pitot " VERSION_TEXT "\n");
    if (plugin_list(&why) == 0)
        return 0;
    fprintf(stderr, "pitot: %s\n", why.text);
    return 1;
}
