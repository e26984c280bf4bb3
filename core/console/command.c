/* SPDX-License-Identifier: BSD-2-Clause */
/* See command.h. Commands are few, so their order is computed on demand. */
#include "core/console/command.h"

#include <linux/errno.h>

#include "core/console/near.h"
#include "core/lib/print.h"
#include "core/lib/string.h"

/* Start and end of the section that COMMAND() fills. */
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

static const char *name_at(size_t index)
{
    const struct command *command = command_after(NULL);

    while (command && index-- > 0)
        command = command_after(command);
    return command ? command->name : NULL;
}

/* What users of other consoles type, and this console's command for it. */
static const struct {
    const char *there, *here;
} habits[] = {
    {"exit", "poweroff"}, {"quit", "poweroff"}, {"halt", "poweroff"}, {"shutdown", "poweroff"}};

static void say_unknown(const char *wrong)
{
    print("%s: no such command; ", wrong);
    for (size_t i = 0; i < sizeof(habits) / sizeof(habits[0]); i++)
        if (strcmp(wrong, habits[i].there) == 0 && command_find(habits[i].here)) {
            print("here it is %s; `help` lists all\n", habits[i].here);
            return;
        }
    near_print(wrong, name_at);
    print("`help` lists them\n");
}

/* Returns the first argument that looks like a shell operator: &&, or |, < or > first; or NULL. */
static const char *find_pipe(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if ((argv[i][0] != '\0' && strchr("|<>", argv[i][0])) || strcmp(argv[i], "&&") == 0)
            return argv[i];
    return NULL;
}

void command_print_help(const struct command *command)
{
    print("%s%s%s\n    %s\n", command->name, command->usage[0] == '\0' ? "" : " ", command->usage,
          command->summary);
    if (command->help)
        command->help(NULL);
}

/* Programs interpret their own arguments. */
static bool asks_help(int argc, char **argv)
{
    return argc == 2 && argv[0][0] != '/' &&
           (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0);
}

int command_run(int argc, char **argv)
{
    const struct command *command = command_find(argv[0]);
    const char *pipe = find_pipe(argc, argv);

    if (!command) {
        say_unknown(argv[0]);
        return -ENOENT;
    }
    if (pipe) {
        print(
            "%s: \"%s\": this prompt has neither pipes nor files: `perf list PATTERN` and `perf "
            "script --max-events N` print less, `;` separates commands, a filter stands in quotes, "
            "and on the host perf script -i - <build/com2.bin can be piped\n",
            argv[0], pipe);
        return -EINVAL;
    }
    if (asks_help(argc, argv)) {
        command_print_help(command);
        return 0;
    }
    if (argc > 1 && command->usage[0] == '\0') {
        print("%s: unexpected \"%s\": %s takes no arguments\n", argv[0], argv[1], argv[0]);
        return -EINVAL;
    }
    return command->run(argc, argv);
}
