/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What of struct pitot_kernel has not been tried yet. Each function that the kernel gives is first
 * called through one here, which puts the kernel's own in its place: hits pay once. Any context;
 * pitot_check in task context.
 */
#include "arch/cpu.h"
#include "arch/embed.h"
#include "core/embed/embed.h"
#include "core/host.h"
#include "core/lib/assert.h"
#include "core/lib/print.h"

/* All but `panic` and `power`, after which nothing is asked. */
#define MEMBERS(EACH)                                                                              \
    EACH(unsigned, cpu, (void), ())                                                                \
    EACH(unsigned long, clock, (void), ())                                                         \
    EACH(void, write, (const void *bytes, unsigned long length), (bytes, length))                  \
    EACH(int, stack, (unsigned long address, unsigned long *low, unsigned long *high),             \
         (address, low, high))                                                                     \
    EACH(int, mapped, (unsigned long address, unsigned long length), (address, length))            \
    EACH(void, interrupt_others, (void), ())                                                       \
    EACH(void, print, (const char *text, unsigned long length), (text, length))                    \
    EACH(void *, memory_take, (unsigned long bytes, const char **why), (bytes, why))               \
    EACH(void, memory_give, (void *memory, unsigned long bytes), (memory, bytes))                  \
    EACH(void *, memory_kept, (unsigned long *bytes), (bytes))                                     \
    EACH(const char *, thread_start, (const char *name, void (*run)(void *unused), unsigned *pid), \
         (name, run, pid))                                                                         \
    EACH(void, wait, (enum pitot_channel channel, int (*until)(void)), (channel, until))           \
    EACH(void, wake, (enum pitot_channel channel), (channel))                                      \
    EACH(int, interrupted, (enum pitot_interrupt how), (how))                                      \
    EACH(void, words_tell, (enum pitot_words which), (which))                                      \
    EACH(const char *, task_name, (unsigned cpu), (cpu))                                           \
    EACH(void, task_rename, (const char *name), (name))                                            \
    EACH(enum pitot_task, task_find, (unsigned pid), (pid))                                        \
    EACH(void, tasks_tell, (void), ())                                                             \
    EACH(void, follow, (enum pitot_follow which), (which))                                         \
    EACH(const struct pitot_program *, program_load, (const char *path, const char **why),         \
         (path, why))                                                                              \
    EACH(unsigned, process,                                                                        \
         (unsigned cpu, unsigned long stack, const struct pitot_program **program),                \
         (cpu, stack, program))                                                                    \
    EACH(int, process_read,                                                                        \
         (unsigned cpu, unsigned long stack, unsigned long address, void *to,                      \
          unsigned long length),                                                                   \
         (cpu, stack, address, to, length))                                                        \
    EACH(int, process_watchable,                                                                   \
         (const struct pitot_program *program, unsigned pid, unsigned long address,                \
          unsigned long length, int execute, const char **why),                                    \
         (program, pid, address, length, execute, why))                                            \
    EACH(int, process_write, (unsigned long address, const void *from, unsigned long length),      \
         (address, from, length))                                                                  \
    EACH(struct pitot_step *, thread_step, (void), ())                                             \
    EACH(void, program_stop, (void), ())                                                           \
    EACH(int, command, (const char *line), (line))                                                 \
    EACH(int, gdb_get, (void), ())                                                                 \
    EACH(void, gdb_put, (unsigned char byte), (byte))

static struct pitot_kernel given; /* written at boot */

#define FIRST_CALL(type, name, parameters, arguments)                                              \
    static type name##_first parameters                                                            \
    {                                                                                              \
        host.name = given.name;                                                                    \
        return given.name arguments;                                                               \
    }
MEMBERS(FIRST_CALL)

#define PUT_BEFORE(type, name, parameters, arguments)                                              \
    if (given.name)                                                                                \
        host.name = name##_first;

void embed_check_begin(void)
{
    given = host;
    MEMBERS(PUT_BEFORE)
}

#define UNCALLED " of struct pitot_kernel was not called"

/* Room for each member, and for what else is said. */
#define ROOM_FOR(type, name, parameters, arguments) +sizeof("; " #name UNCALLED)
static char text[400 MEMBERS(ROOM_FOR)];
static size_t length;

static void add(const char *what, const char *how)
{
    length +=
        print_into(text + length, sizeof(text) - length, "%s%s%s", length ? "; " : "", what, how);
    assert(length < sizeof(text));
}

#define ADD_UNCALLED(type, name, parameters, arguments)                                            \
    if (given.name && host.name == name##_first)                                                   \
        add(#name, UNCALLED);

/* Parks the other CPUs, for which `interrupt_others` is called. */
static void try_cpus(void)
{
    unsigned cpu;
    const char *wrong = arch_cpus() > 1 ? arch_embed_try_cpus(&cpu) : NULL;
    char which[sizeof("CPU 4294967295: ")];

    if (!wrong)
        return;
    print_into(which, sizeof(which), "CPU %u: ", cpu);
    add(which, wrong);
}

const char *pitot_check(void)
{
    if (!host_ready)
        return "pitot_init must succeed first";
    length = 0;
    try_cpus();
    MEMBERS(ADD_UNCALLED)
    if (host.frame && !embed_ticks)
        add("pitot_tick was not called", "");
    else if (embed_traps_wrong())
        add(embed_traps_wrong(), "");
    else if (host.frame && host.stack && !embed_chain_crosses())
        add("no chain has crossed the timer's entry", "");
    return length ? text : NULL;
}
