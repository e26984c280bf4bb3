/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See command.h. No list of candidates is kept: for each answer they are reported once more, in
 * any order, and only the first and the last are remembered. So they may come and go, need no room,
 * and thousands of symbols cost a binary search.
 */

#include "core/console/command.h"
#include "core/host.h"
#include "core/lib/arguments.h"
#include "core/lib/print.h"
#include "core/lib/string.h"

#define LINE_MOST 1024 /* longer lines have no candidates, and longer words are none */

/* The last command of the line; its last word, perhaps empty, is completed. */
static struct {
    char text[LINE_MOST + 1];
    char *word[ARGUMENTS_MAX + 1]; /* NULL after the last */
    int count;                     /* 0: nothing can be completed */
} typed;

/* What is asked for, and what of it has been reported. */
static struct {
    const char *part;                               /* each candidate begins with it */
    size_t length;                                  /* of `part` */
    bool blank;                                     /* behind a whole candidate */
    char behind[LINE_MOST + 1];                     /* each is sorted behind it; "": all are */
    char first[LINE_MOST + 1], last[LINE_MOST + 1]; /* so far; "": there is none */
} sought = {.part = ""};

static bool is_quoting(char character)
{
    return character == '\'' || character == '"' || character == '\\';
}

/* The blank at `at` ends a word. Returns false if there are too many. */
static bool begin_word(char *at)
{
    char *word = typed.word[typed.count - 1];

    *at = '\0';
    if (strcmp(word, "--") == 0) /* a workload, which is a command */
        typed.count = 0;
    else if (word[0] == '\0')
        typed.count--;
    else if (typed.count == ARGUMENTS_MAX)
        return false;
    typed.word[typed.count++] = at + 1;
    return true;
}

/* Returns false if there is a quote or backslash: words with quotes are not parsed here. */
static bool split(const char *line, size_t length)
{
    if (length > LINE_MOST)
        return false;
    memcpy(typed.text, line, length);
    typed.text[length] = '\0';
    typed.word[0] = typed.text;
    typed.count = 1;
    for (char *at = typed.text; at < typed.text + length; at++) {
        if (is_quoting(*at) || (*at == ' ' && !begin_word(at)))
            return false;
        if (*at == ';') {
            typed.word[0] = at + 1;
            typed.count = 1;
        }
    }
    typed.word[typed.count] = NULL;
    return true;
}

void pitot_word(const char *word)
{
    if (strncmp(word, sought.part, sought.length) != 0 || strcmp(word, sought.behind) <= 0 ||
        strlen(word) > LINE_MOST)
        return;
    if (sought.first[0] == '\0' || strcmp(word, sought.first) < 0)
        memcpy(sought.first, word, strlen(word) + 1);
    if (strcmp(word, sought.last) > 0)
        memcpy(sought.last, word, strlen(word) + 1);
}

static bool is_before(const char *word)
{
    return strncmp(word, sought.part, sought.length) < 0 || strcmp(word, sought.behind) <= 0;
}

static bool is_not_past(const char *word)
{
    return strncmp(word, sought.part, sought.length) <= 0;
}

void complete_sorted(const char *(*at)(const void *of, size_t index), const void *of, size_t count)
{
    bool (*const holds[])(const char *word) = {is_before, is_not_past};
    size_t bound[2]; /* the first index at which each holds no longer */

    for (unsigned i = 0; i < 2; i++) {
        size_t low = 0, high = count;

        while (low < high) {
            size_t middle = low + (high - low) / 2;

            if (holds[i](at(of, middle)))
                low = middle + 1;
            else
                high = middle;
        }
        bound[i] = low;
    }
    if (bound[0] < bound[1]) {
        pitot_word(at(of, bound[0]));
        pitot_word(at(of, bound[1] - 1));
    }
}

void complete_part(const char *part, bool blank)
{
    sought.part = part;
    sought.length = strlen(part);
    sought.blank = blank;
}

void complete_told(enum pitot_words which)
{
    if (host.words_tell)
        host.words_tell(which);
}

static void report_commands(void)
{
    const struct pitot_command *command = NULL;

    while ((command = pitot_next_command(command)) != NULL)
        pitot_word(command->name);
}

void complete_command(int argc, char **argv)
{
    const struct pitot_command *command = argc > 1 ? command_find(argv[0]) : NULL;

    if (command && command->words)
        command->words(argc, argv);
    else if (argc == 1 && argv[0][0] == '/')
        complete_told(PITOT_WORDS_PROGRAMS);
    else if (argc == 1)
        report_commands();
}

const char *pitot_next_candidate(const char *before)
{
    print_into(sought.behind, sizeof(sought.behind), "%s", before ? before : "");
    sought.first[0] = sought.last[0] = '\0';
    if (typed.count == 0)
        return NULL;
    complete_part(typed.word[typed.count - 1], true);
    complete_command(typed.count, typed.word);
    return sought.first[0] == '\0' ? NULL : sought.first;
}

unsigned long pitot_complete(const char *line, unsigned long length, char *addition,
                             unsigned long size)
{
    size_t common = 0;
    bool single;

    addition[0] = '\0';
    if (!host_ready || !split(line, length))
        typed.count = 0;
    if (!pitot_next_candidate(NULL))
        return 0;
    while (sought.first[common] != '\0' && sought.first[common] == sought.last[common])
        common++;
    single = strcmp(sought.first, sought.last) == 0;
    print_into(addition, size, "%.*s%s", (int)(common - sought.length),
               sought.first + sought.length, single && sought.blank ? " " : "");
    return single ? 1 : 2;
}
