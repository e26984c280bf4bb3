/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of core/host.h for host tests without threads: one task has a name. */
#include "tests/unit/fake_task.h"

#include <stdio.h>

#include "core/host.h"
#include "core/task.h"

static char name[TASK_NAME_SIZE] = "pitot";

static const char *name_of(unsigned cpu)
{
    (void)cpu;
    return name;
}

__attribute__((constructor)) static void fake_task_is_there(void)
{
    host.task_name = name_of;
}

void fake_task_rename(const char *new_name)
{
    snprintf(name, sizeof(name), "%s", new_name);
}
