/* SPDX-License-Identifier: BSD-2-Clause */
/* Level 4, the console's commands: the command line has them, between semicolons; `work` is one. */
#include "ports/c/kernel.h"

#include "pitot.h"

#define COM1      0x3f8
#define LINE_SIZE 256

void console_print(const char *text, uint64_t length)
{
    serial_write(COM1, text, length);
}

static int work_run(int argc, char **argv)
{
    (void)argc, (void)argv;
    work();
    return 0;
}

PITOT_COMMAND(work, "", "makes all jobs", work_run);

void console_run(const char *lines)
{
    const char *wrong = gdb_begin ? gdb_begin() : 0; /* PITOT 5 */
    char line[LINE_SIZE];
    size_t length = 0;

    if (wrong)      /* PITOT 5 */
        say(wrong); /* PITOT 5 */
    for (; *lines; lines++) {
        if (*lines != ';' && length < LINE_SIZE - 1)
            line[length++] = *lines;
        if (*lines != ';' && lines[1])
            continue;
        line[length] = '\0';
        length = 0;
        say("$");
        say(line);
        say("\n");
        pitot_command(line);
    }
}
