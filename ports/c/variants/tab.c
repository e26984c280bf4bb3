/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What TAB makes of a line, as a command: `tab 'perf rec'` prints what the line becomes, up to a
 * bar, and the candidates if there are several. `hire` is a command that says what may follow it.
 * Linked at level 4 (port.mk) for tests/boot/ports_console.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

static int tab_run(int argc, char **argv)
{
    const char *line = argc == 2 ? argv[1] : "", *name = 0;
    char addition[64];
    unsigned long length = 0, count;

    while (line[length])
        length++;
    count = pitot_complete(line, length, addition, sizeof(addition));
    pitot_print("%s%s|\n", line, addition);
    while (count > 1 && (name = pitot_next_candidate(name)))
        pitot_print("%s\n", name);
    return 0;
}

PITOT_COMMAND(tab, "LINE", "completes a line", tab_run);

static int hire_run(int argc, char **argv)
{
    (void)argc, (void)argv;
    return 0;
}

static void hire_words(int argc, char **argv)
{
    (void)argv;
    for (uint32_t i = 1; argc == 2 && i < THREADS; i++)
        pitot_word(threads[i].name ? threads[i].name : "apprentice");
}

PITOT_COMMAND_WITH(hire, "hire", "[NAME]", "gives work to a worker", hire_run, 0, hire_words);
