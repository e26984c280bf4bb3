/* SPDX-License-Identifier: BSD-2-Clause */
/* TAB at the console (line.h): lists in columns what pitot_complete offers. */
#include "core/lib/string.h"
#include "core/pitot.h"
#include "kernel/console/line.h"

#define SCREEN_COLUMNS 80
#define LIST_MOST      40

/* Wraps lines at the screen's width; `column` is the end of the last name. */
static void list_name(struct sink *sink, const char *name, size_t *column)
{
    size_t length = strlen(name);

    if (*column > 0 && *column + 2 + length > SCREEN_COLUMNS) {
        print_to(sink, "\n");
        *column = 0;
    }
    print_to(sink, "%s%s", *column > 0 ? "  " : "", name);
    *column += (*column > 0 ? 2 : 0) + length;
}

static void complete_list(struct sink *sink)
{
    const char *name = NULL;
    size_t found = 0, column = 0;

    while ((name = pitot_next_candidate(name)) != NULL)
        if (found++ < LIST_MOST)
            list_name(sink, name, &column);
    print_to(sink, "\n");
    if (found > LIST_MOST)
        print_to(sink, "... and %zu more\n", found - LIST_MOST);
}

const struct line_completer complete_words = {pitot_complete, complete_list};
