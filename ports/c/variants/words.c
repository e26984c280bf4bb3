/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel splits its lines itself, and never calls pitot_command; TAB comes before the
 * first command. Linked in front of pitot_command (port.mk) for tests/boot/ports_console.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

#define WORDS_MAX 16
#define LINE_SIZE 256

int __wrap_pitot_command(const char *line);

static void complete_first(void)
{
    static int completed;
    char addition[16];

    if (completed++)
        return;
    pitot_complete("perf sta", 8, addition, sizeof(addition));
    say("completed by: ");
    say(addition);
    say("\n");
}

int __wrap_pitot_command(const char *line)
{
    static char text[LINE_SIZE];
    char *word[WORDS_MAX];
    int count = 0, inside = 0;
    size_t length = 0;

    complete_first();
    for (; length < LINE_SIZE - 1 && line[length]; length++) {
        text[length] = line[length] == ' ' ? '\0' : line[length];
        if (text[length] && !inside && count < WORDS_MAX)
            word[count++] = &text[length];
        inside = text[length] != '\0';
    }
    text[length] = '\0';
    return pitot_run_words(count, word);
}
