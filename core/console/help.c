/* SPDX-License-Identifier: BSD-2-Clause */
/* The command `help`: lists the console's commands, or describes one. */
#include <linux/errno.h>

#include "core/console/command.h"
#include "core/lib/print.h"
#include "core/lib/string.h"

static int help_list(void)
{
    const struct pitot_command *command = NULL;
    struct sink *sink = command_output();
    size_t width = 0;

    while ((command = pitot_next_command(command)) != NULL) {
        size_t length = strlen(command->name);
        width = length > width ? length : width;
    }
    while ((command = pitot_next_command(command)) != NULL)
        print_to(sink, "  %-*s  %s\n", (int)width, command->name, command->summary);
    print_to(sink, "`help COMMAND` says what arguments it takes.\n");
    return command_interrupted() ? -EINTR : 0;
}

static int help_one(const char *name, const char *part)
{
    const struct pitot_command *command = command_find(name);

    if (!command) {
        print("help: %s is not a command; `help` lists them\n", name);
        return -ENOENT;
    }
    if (part && command->help)
        return command->help(part);
    if (part) {
        print("help: %s has no subcommands; `help %s` shows everything\n", name, name);
        return -EINVAL;
    }
    command_print_help(command);
    return 0;
}

static int help_run(int argc, char **argv)
{
    if (argc == 1)
        return help_list();
    if (argc <= 3)
        return help_one(argv[1], argc == 3 ? argv[2] : NULL);
    print("help: too many arguments; give one command at a time: help [COMMAND [PART]]\n");
    return -EINVAL;
}

static void help_words(int argc, char **argv)
{
    const struct pitot_command *command = command_find(argv[1]);

    if (argc == 2 || (argc == 3 && command && command->help))
        complete_command(argc - 1, argv + 1);
}

PITOT_COMMAND_WITH(help, "help", "[COMMAND [PART]]",
                   "lists the commands, or says what one takes: help perf record", help_run, 0,
                   help_words);
