/* SPDX-License-Identifier: BSD-2-Clause */
/* See task.h. */
#include "core/task.h"

#include "core/print.h"

static char name[TASK_NAME_SIZE] = "pitot";

const char *task_name(void)
{
    return name;
}

void task_set_name(const char *new_name)
{
    print_into(name, sizeof(name), "%s", new_name);
}
