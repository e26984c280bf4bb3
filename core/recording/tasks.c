/* SPDX-License-Identifier: BSD-2-Clause */
/* The threads of recording.h. */
#include "core/recording/recording.h"

#include "arch/cpu.h"
#include "arch/local.h"
#include "arch/memory.h"
#include "core/lib/assert.h"
#include "core/lib/print.h"
#include "core/lib/string.h"
#include "core/recording/kept.h"
#include "core/recording/layout.h"
#include "core/symbols/symbols.h"

#define TASKS_MAX RECORDING_TASK_NAMES

/* Written under `lock`. `count` includes only complete entries, so any context may read them. */
ARCH_KEPT static struct recorded_task tasks[TASKS_MAX];
ARCH_KEPT static char names[TASKS_MAX][TASK_NAME_SIZE];
static const struct pitot_program *programs[TASKS_MAX]; /* programs[i]: of the mapping tasks[i] */
ARCH_KEPT static uint64_t count;
static uint64_t lost;
static bool listening; /* a recording is running */
static uint32_t lock;  /* [A] 0: free */

const struct recorder_tasks recorder_tasks =
    RECORDER_TASKS(tasks, count, TASK_NAME_SIZE, PITOT_PATH_SIZE);

/* Held with interrupts off. It is not a host lock, because the recording may watch host locks. */
static uint64_t tasks_lock(void)
{
    uint64_t flags = arch_irq_save();

    /* A, with tasks_unlock: this CPU sees the last holder's stores. */
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
        arch_relax();
    return flags;
}

static void tasks_unlock(uint64_t flags)
{
    assert(lock);
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); /* A, with tasks_lock */
    arch_irq_restore(flags);
}

static char *find(uint32_t tid)
{
    uint64_t known = publish_load(&count);

    /* Numbers are reused: the newest entry counts. */
    while (known-- > 0)
        if (tasks[known].tid == tid && tasks[known].comm == names[known])
            return names[known];
    return NULL;
}

/* Called with the lock held. */
static void add(const struct recorded_task *task, const struct pitot_program *program)
{
    assert(lock);
    if (count == TASKS_MAX) {
        lost++;
        return;
    }
    tasks[count] = *task;
    programs[count] = program;
    publish_store(&count, count + 1);
}

/* Called with the lock held. */
static void add_name(uint32_t pid, const char *name, bool lived)
{
    struct recorded_task task = {.pid = pid, .tid = pid};

    if (!lived) {
        uint32_t maker = (uint32_t)task_current_ids(); /* `pid` if the thread renames itself */

        task.time = arch_clock_ns();
        task.parent = maker == pid ? 0 : maker;
    }
    if (count < TASKS_MAX) {
        print_into(names[count], TASK_NAME_SIZE, "%s", name);
        task.comm = names[count];
    }
    add(&task, NULL);
}

void recording_task_named(uint32_t pid, const char *name, bool lived)
{
    uint64_t flags = tasks_lock();
    char *known = find(pid);

    if (listening && known)
        print_into(known, TASK_NAME_SIZE, "%s", name);
    else if (listening)
        add_name(pid, name, lived);
    tasks_unlock(flags);
}

void pitot_thread_lived(unsigned pid, const char *name)
{
    recording_task_named(pid, name, true);
}

static bool is_noted(uint32_t pid, uint64_t start)
{
    for (uint64_t i = 0; i < count; i++)
        if (tasks[i].pid == pid && tasks[i].size && tasks[i].start == start)
            return true;
    return false;
}

void pitot_program_mapped(unsigned pid, const struct pitot_program *program,
                          const struct pitot_mapping *mapping, int lived)
{
    const struct recorded_task task = {.pid = pid,
                                       .tid = pid,
                                       .comm = program->path,
                                       .time = lived ? 0 : arch_clock_ns(),
                                       .start = mapping->start,
                                       .size = mapping->size,
                                       .offset = mapping->offset,
                                       .build_id = program->build_id};
    uint64_t flags = tasks_lock();

    /* A mapping made while the host reports existing ones may be reported twice. */
    if (listening && !is_noted(pid, mapping->start))
        add(&task, program);
    tasks_unlock(flags);
}

void pitot_program_ended(unsigned pid, unsigned parent)
{
    uint64_t flags = tasks_lock();
    const struct recorded_task end = {
        .pid = pid, .tid = pid, .parent = parent, .time = arch_clock_ns()};

    if (listening)
        add(&end, NULL);
    tasks_unlock(flags);
}

void recording_tasks_start(void)
{
    uint64_t flags = tasks_lock();

    lost = 0;
    publish_store(&count, 0);
    /* Set before the host reports existing threads, so that new ones are reported, too. */
    listening = true;
    tasks_unlock(flags);
    if (host.tasks_tell)
        host.tasks_tell();
}

void recording_tasks_stop(void)
{
    uint64_t flags = tasks_lock();

    listening = false;
    tasks_unlock(flags);
}

size_t recording_tasks(const struct recorded_task **all)
{
    *all = tasks;
    return count;
}

uint64_t recording_tasks_lost(void)
{
    return lost;
}

size_t recording_tasks_left(struct recording_task_name *to, size_t most)
{
    uint64_t left = count < TASKS_MAX ? count : 0;
    size_t taken = 0;

    for (uint64_t i = 0; i < left && taken < most; i++) {
        if (tasks[i].comm != names[i])
            continue;
        to[taken].tid = tasks[i].tid;
        memcpy(to[taken].name, names[i], TASK_NAME_SIZE);
        to[taken++].name[TASK_NAME_SIZE - 1] = '\0';
    }
    count = 0;
    return taken;
}

const char *recording_task_name(uint32_t tid)
{
    const char *name = find(tid);

    return name ? name : "";
}

/* As core/symbols/symbols.h, with the mappings that the host reported. Any context. */
bool user_place_find(uint32_t pid, uintptr_t address, struct user_place *place)
{
    const struct recorded_task *mapping = NULL; /* the newest with `address` */
    const struct pitot_program *program;
    uint64_t i = count;

    while (!mapping && i-- > 0)
        if (tasks[i].pid == pid && address - tasks[i].start < tasks[i].size)
            mapping = &tasks[i];
    /* The last boot's programs are unknown, so their functions stay addresses. */
    if (!mapping || last_shown())
        return false;
    program = programs[i];
    place->program = program->number;
    place->path = program->path;
    place->file_offset = address - mapping->start + mapping->offset;
    place->named =
        symbol_table_find_address(symbol_table_of(program->symbols), address, &place->symbol);
    return true;
}
