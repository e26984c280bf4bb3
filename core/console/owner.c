/* SPDX-License-Identifier: BSD-2-Clause */
/* See owner.h. A debugger's stop claims for a waiting thread. */
#include "core/console/owner.h"

#include "core/lib/assert.h"
#include "core/pitot.h"
#include "core/task.h"

static uint64_t owner = TASK_IDS_NONE; /* [A] */
static const char *name;               /* [A] the owner's name; NULL: no owner */
static unsigned claims;                /* [owner] claims that were not released yet */

bool command_owner_claim(uint64_t ids, const char *who)
{
    uint64_t before = TASK_IDS_NONE;

    if (!__atomic_compare_exchange_n(&owner, &before, ids, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED) &&
        before != ids)
        return false;
    if (claims++ == 0)
        __atomic_store_n(&name, who, __ATOMIC_RELAXED);
    return true;
}

void command_owner_release(void)
{
    assert(claims > 0);
    if (--claims > 0)
        return;
    __atomic_store_n(&name, NULL, __ATOMIC_RELAXED);
    __atomic_store_n(&owner, TASK_IDS_NONE, __ATOMIC_RELEASE);
}

const char *pitot_commands_claim(void)
{
    const char *who;

    if (command_owner_claim(task_this_ids(), "the console"))
        return NULL;
    who = __atomic_load_n(&name, __ATOMIC_RELAXED);
    return who ? who : "another thread";
}

void pitot_commands_release(void)
{
    command_owner_release();
}
