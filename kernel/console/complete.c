/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See complete.h. Each list of names is sorted, so the candidates of a prefix are a range, found by
 * binary search: nothing is copied, even with thousands of symbols, and a range has the common
 * prefix of its first and last name.
 */
#include "kernel/console/complete.h"

#include "core/lib/string.h"
#include "kernel/console/complete_target.h"

#define SCREEN_COLUMNS 80

/* The candidates: [first, end) of target.names. */
struct range {
    size_t first, end;
};

static const char *name_at(const struct target *target, size_t index)
{
    return target->names.at(&target->names, index);
}

/*
 * Returns the index of the first name that is not sorted before the prefix; with `past`, that of
 * the first name after all that begin with it.
 */
static size_t bound(const struct target *target, bool past)
{
    size_t low = 0, high = target->names.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strncmp(name_at(target, middle), target->prefix.text, target->prefix.length);
        if (order < 0 || (past && order == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct range range_find(const struct target *target)
{
    return (struct range){bound(target, false), bound(target, true)};
}

static size_t common_length(const char *left, const char *right)
{
    size_t length = 0;

    while (left[length] != '\0' && left[length] == right[length])
        length++;
    return length;
}

static size_t complete_extend(const char *text, size_t length, char *addition, size_t size)
{
    struct target target;

    addition[0] = '\0';
    if (!target_find(text, length, &target))
        return 0;
    struct range range = range_find(&target);
    if (range.first == range.end)
        return 0;

    const char *first = name_at(&target, range.first);
    const char *last = name_at(&target, range.end - 1);
    size_t common = common_length(first, last);
    bool single = strcmp(first, last) == 0;
    print_into(addition, size, "%.*s%s", (int)(common - target.prefix.length),
               first + target.prefix.length, single && target.ends_word ? " " : "");
    return single ? 1 : range.end - range.first;
}

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

static void complete_list(const char *text, size_t length, struct sink *sink)
{
    struct target target;
    size_t found = 0, column = 0;

    if (!target_find(text, length, &target))
        return;
    struct range range = range_find(&target);
    for (size_t i = range.first; i < range.end; i++) {
        /* Local symbols may share a name. */
        if (i > range.first && strcmp(name_at(&target, i), name_at(&target, i - 1)) == 0)
            continue;
        if (found++ < COMPLETE_LIST_MOST)
            list_name(sink, name_at(&target, i), &column);
    }
    print_to(sink, "\n");
    if (found > COMPLETE_LIST_MOST)
        print_to(sink, "... and %zu more\n", found - COMPLETE_LIST_MOST);
}

const struct line_completer complete_words = {complete_extend, complete_list};
