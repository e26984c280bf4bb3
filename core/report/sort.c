/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses perf report's --sort (key.h). Pure. */
#include "core/lib/string.h"
#include "core/report/key.h"

static const struct {
    const char *word;
    enum report_key_kind kind;
} words[] = {
    {"comm", REPORT_BY_COMM},     {"cpu", REPORT_BY_CPU},  {"dso", REPORT_BY_OBJECT},
    {"pid", REPORT_BY_TID},       {"s", REPORT_BY_SYMBOL}, {"sym", REPORT_BY_SYMBOL},
    {"symbol", REPORT_BY_SYMBOL}, {"tid", REPORT_BY_TID},
};

static enum report_key_kind kind_of(const char *word)
{
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(words[i].word, word) == 0)
            return words[i].kind;
    return REPORT_BY_FIELD;
}

static bool is_there(const struct report_keys *keys, enum report_key_kind kind, const char *word)
{
    for (unsigned i = 0; i < keys->count; i++)
        if (keys->key[i].kind == kind &&
            (kind != REPORT_BY_FIELD || strcmp(keys->key[i].word, word) == 0))
            return true;
    return false;
}

static int add(struct report_keys *keys, const char *word, struct refusal *why)
{
    enum report_key_kind kind = kind_of(word);

    if (word[0] == '\0')
        return refuse(why, EINVAL,
                      "a sort key is empty; there are comm, cpu, dso, pid, sym and the fields of "
                      "tracepoints, separated by commas");
    if (is_there(keys, kind, word))
        return 0;
    if (keys->count == REPORT_KEYS_MAX)
        return refuse(why, EINVAL, "sort key \"%s\": at most %d keys are allowed", word,
                      REPORT_KEYS_MAX);
    keys->key[keys->count++] = (struct report_key){.kind = kind, .word = word};
    return 0;
}

int report_keys_parse(char *text, struct report_keys *keys, struct refusal *why)
{
    int error = 0;

    keys->count = 0;
    for (char *next; text && !error; text = next) {
        next = strchr(text, ',');
        if (next)
            *next++ = '\0';
        error = add(keys, text, why);
    }
    return error;
}
