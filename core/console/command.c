/* SPDX-License-Identifier: BSD-2-Clause */
/* See command.h. Commands are few, so their order is computed on demand. */
#include "core/console/command.h"

#include <linux/errno.h>

#include "core/console/habits.h"
#include "core/host.h"
#include "core/lib/assert.h"
#include "core/lib/number.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/symbols/nearest.h"
#include "core/task.h"

#define NEAR_MOST 3

/* Start and end of the section that PITOT_COMMAND fills. */
extern const struct pitot_command *const __start_pitot_commands[];
extern const struct pitot_command *const __stop_pitot_commands[];

const struct pitot_command *command_find(const char *name)
{
    if (name[0] == '/')
        name = "run";
    for (const struct pitot_command *const *entry = __start_pitot_commands;
         entry != __stop_pitot_commands; entry++) {
        if (strcmp((*entry)->name, name) == 0)
            return *entry;
    }
    return NULL;
}

const struct pitot_command *pitot_next_command(const struct pitot_command *before)
{
    const struct pitot_command *next = NULL;

    for (const struct pitot_command *const *entry = __start_pitot_commands;
         entry != __stop_pitot_commands; entry++) {
        if (before && strcmp((*entry)->name, before->name) <= 0)
            continue;
        if (!next || strcmp((*entry)->name, next->name) < 0)
            next = *entry;
    }
    return next;
}

static const char *command_name_at(size_t index)
{
    const struct pitot_command *command = pitot_next_command(NULL);

    while (command && index-- > 0)
        command = pitot_next_command(command);
    return command ? command->name : NULL;
}

static bool is_command(const char *name)
{
    return command_find(name) != NULL;
}

static bool is_near(const char *name, const char *wrong)
{
    size_t length = strlen(wrong);

    if (length > 0 && strncmp(name, wrong, length) == 0)
        return true;
    return distance(name, distance_length(name), wrong, distance_length(wrong)) <= (length + 2) / 3;
}

void near_write(const char *wrong, const char *(*name_at)(size_t index), char *text, size_t size)
{
    const char *name;
    unsigned near = 0;
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; near < NEAR_MOST && length < size && (name = name_at(i)) != NULL; i++)
        if (is_near(name, wrong))
            length += print_into(text + length, size - length, "%s%s",
                                 near++ == 0 ? "near: " : ", ", name);
    if (near > 0 && length < size)
        print_into(text + length, size - length, "; ");
}

size_t command_answer(int argc, char **argv, char *text, size_t size)
{
    return habit_answer((const char *const *)argv, (size_t)argc, is_command, text, size);
}

bool command_refuse(int argc, char **argv, struct sink *to)
{
    char instead[HABIT_ANSWER];
    bool known;

    if (command_find(argv[0]))
        return false;
    known = command_answer(argc, argv, instead, sizeof(instead)) > 0;
    if (!known)
        near_write(argv[0], command_name_at, instead, sizeof(instead));
    print_to(to, "%s: no such command; %s%s\n", argv[0], instead, known ? "" : "`help` lists them");
    return true;
}

static void say_unknown(int argc, char **argv)
{
    print_together_begin(); /* first: another CPU may be replacing the console's sink */
    command_refuse(argc, argv, print_console());
    print_together_end();
}

/* True for a redirection or pipe: 2>&1, &>file, >, <, |. */
static bool is_pipe(const char *word)
{
    while (*word == '&' || number_digit(*word, 10) >= 0)
        word++;
    return *word != '\0' && strchr("|<>", *word);
}

/* Programs run in the background, also as a workload. */
static bool may_end_in_ampersand(int argc, char **argv)
{
    for (int i = 0; i < argc - 1; i++)
        if (argv[i][0] == '/' || strcmp(argv[i], "run") == 0)
            return true;
    return false;
}

/* Refuses what only a shell would understand, and says what is here instead. */
static bool refuse_operator(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "&") == 0 && !(i == argc - 1 && may_end_in_ampersand(argc, argv))) {
            print("%s: \"&\": %s\n", argv[0],
                  own_kernel ? "only a program runs in the background: `run PROGRAM &`, and `perf "
                               "record -p PID -- COMMAND` records it; `;` separates commands"
                             : "nothing runs in the background here");
            return true;
        }
        if (is_pipe(argv[i]) || strcmp(argv[i], "&&") == 0) {
            print("%s: \"%s\": this prompt has neither pipes nor files: `perf list PATTERN` and "
                  "`perf script --max-events N` print less%s\n",
                  argv[0], argv[i],
                  own_kernel ? ", `;` separates commands, a filter stands in quotes, and on the "
                               "host perf script -i - <build/com2.bin can be piped"
                             : "");
            return true;
        }
    }
    return false;
}

void command_print_help(const struct pitot_command *command)
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
    const struct pitot_command *command = command_find(argv[0]);

    if (!command) {
        say_unknown(argc, argv);
        return -ENOENT;
    }
    if (refuse_operator(argc, argv))
        return -EINVAL;
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

int (*command_around)(int argc, char **argv);

int pitot_run_words(int argc, char **argv)
{
    return command_around ? command_around(argc, argv) : command_run_words(argc, argv);
}

int command_run_words(int argc, char **argv)
{
    int status;

    progress_begin();
    status = command_run(argc, argv);
    progress_end();
    return status;
}

/* --- The thread that runs commands; a debugger's stop claims for a waiting thread. --- */

static uint64_t owner = TASK_IDS_NONE; /* [A] */
static const char *owner_name;         /* [A] NULL: no owner */
static unsigned claims;                /* [owner] claims that were not released yet */

bool command_owner_claim(uint64_t ids, const char *who)
{
    uint64_t before = TASK_IDS_NONE;

    if (!__atomic_compare_exchange_n(&owner, &before, ids, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED) &&
        before != ids)
        return false;
    if (claims++ == 0)
        __atomic_store_n(&owner_name, who, __ATOMIC_RELAXED);
    return true;
}

void command_owner_release(void)
{
    assert(claims > 0);
    if (--claims > 0)
        return;
    __atomic_store_n(&owner_name, NULL, __ATOMIC_RELAXED);
    __atomic_store_n(&owner, TASK_IDS_NONE, __ATOMIC_RELEASE);
}

const char *pitot_commands_claim(void)
{
    const char *who;

    if (command_owner_claim(task_this_ids(), "the console"))
        return NULL;
    who = __atomic_load_n(&owner_name, __ATOMIC_RELAXED);
    return who ? who : "another thread";
}

void pitot_commands_release(void)
{
    command_owner_release();
}
