/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The commands that were linked in (core/console/command.h): find, list in order, run. They are
 * few, so their order is computed on demand, and nothing has to be set up at boot. Task context.
 */
#include "core/console/command.h"

#include <linux/errno.h>

#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/symbols/distance.h"

#define NEAR_MOST 3

/* The linker's names for the two ends of the section that COMMAND() fills. */
extern const struct command *const __start_commands[];
extern const struct command *const __stop_commands[];

const struct command *command_find(const char *name)
{
    if (name[0] == '/')
        name = "run";
    for (const struct command *const *entry = __start_commands; entry != __stop_commands; entry++) {
        if (strcmp((*entry)->name, name) == 0)
            return *entry;
    }
    return NULL;
}

const struct command *command_after(const struct command *before)
{
    const struct command *next = NULL;

    for (const struct command *const *entry = __start_commands; entry != __stop_commands; entry++) {
        if (before && strcmp((*entry)->name, before->name) <= 0)
            continue;
        if (!next || strcmp((*entry)->name, next->name) < 0)
            next = *entry;
    }
    return next;
}

/*
 * True if `name` may be meant: it begins with the wrong word, or up to a third of the letters
 * differ.
 */
static bool is_near(const char *name, const char *wrong)
{
    size_t length = strlen(wrong);

    if (length > 0 && strncmp(name, wrong, length) == 0)
        return true;
    return distance(name, distance_length(name), wrong, distance_length(wrong)) <= (length + 2) / 3;
}

static void say_unknown(const char *wrong)
{
    const struct command *command = NULL;
    unsigned near = 0;

    print("%s: no such command; ", wrong);
    while (near < NEAR_MOST && (command = command_after(command)) != NULL) {
        if (is_near(command->name, wrong))
            print("%s%s", near++ == 0 ? "near: " : ", ", command->name);
    }
    print("%s`help` lists them\n", near == 0 ? "" : "; ");
}

/* A word that the command would ignore is a mistake, and the user has to know. */
static bool takes_words(const struct command *command, int argc, char **argv)
{
    if (argc == 1 || command->usage[0] != '\0')
        return true;
    print("%s: \"%s\" is one word too many: %s takes no argument\n", command->name, argv[1],
          command->name);
    return false;
}

int command_run(int argc, char **argv)
{
    const struct command *command = command_find(argv[0]);

    if (!command) {
        say_unknown(argv[0]);
        return -ENOENT;
    }
    if (!takes_words(command, argc, argv))
        return -EINVAL;
    return command->run(argc, argv);
}
