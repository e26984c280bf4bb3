/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A kernel with system calls, for `perf trace`; `calls` makes some. Linked with --wrap=pitot_init,
 * whose structure gets their table.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

enum { READ, WRITE, OPEN, UNKNOWN = 99 };

#define NO_SUCH_FILE (-2)

static const struct pitot_call calls[] = {
    {READ, "read", {{"fd", PITOT_CALL_FD}, {"buf", PITOT_CALL_OUT}, {"count", PITOT_CALL_SIZE}}},
    {WRITE, "write", {{"fd", PITOT_CALL_FD}, {"buf", PITOT_CALL_IN}, {"count", PITOT_CALL_SIZE}}},
    {OPEN, "open", {{"filename", PITOT_CALL_PATH}, {"flags", PITOT_CALL_HEX}}},
};

/* The program's memory, which is this kernel's. */
static unsigned long read_text(unsigned long address, char *to, unsigned long room)
{
    unsigned long length = 0;

    while (length < room && (to[length] = ((const char *)address)[length]) != '\0')
        length++;
    return length;
}

static void find_path(unsigned long *argument)
{
    pitot_call_path(argument, read_text);
}

PITOT_CALLS(find_path);

/* As an entry from a program would. */
static long call(unsigned long number, unsigned long a, unsigned long b, unsigned long c,
                 long result)
{
    PITOT_CALL_BEGINS(number, a, b, c, 0, 0, 0);
    PITOT_CALL_ENDS(number, result);
    return result;
}

static int calls_run(int argc, char **argv)
{
    (void)argc, (void)argv;
    call(OPEN, (unsigned long)"/etc/motd", 0x42, 0, 3);
    call(READ, 3, 0x1000, 12, 12);
    call(OPEN, (unsigned long)"/a/path/of/more/than/thirty/characters", 0, 0, NO_SUCH_FILE);
    call(UNKNOWN, 1, 2, 3, 4);
    return 0;
}

PITOT_COMMAND_AS(calls, "calls", "", "makes system calls", calls_run, 0);

extern const char TELLS[]; /* 1: the kernel tells its threads itself, and finds none (port.mk) */

static void tasks_tell(void)
{
    pitot_thread_lived(ALL_THREADS, "night shift");
}

/* Knows a thread that pitot_thread_named has not named. */
static enum pitot_task task_find(unsigned pid)
{
    return pid == ALL_THREADS ? PITOT_TASK_OF_KERNEL : PITOT_TASK_NONE;
}

const char *__real_pitot_init(const struct pitot_kernel *kernel);
const char *__wrap_pitot_init(const struct pitot_kernel *kernel);

const char *__wrap_pitot_init(const struct pitot_kernel *kernel)
{
    struct pitot_kernel with = *kernel;

    with.calls = calls;
    with.call_count = sizeof(calls) / sizeof(calls[0]);
    if ((unsigned long)TELLS == 1)
        with.tasks_tell = tasks_tell;
    else
        with.task_find = task_find;
    return __real_pitot_init(&with);
}
