/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command `wild`, a seeded bug for README.md and docs/tutorial.md. A wild write damages an
 * account's balance; the code for accounts is correct. Task context, interrupts on.
 */
#include <linux/errno.h>
#include <stddef.h>

#include "core/lib/print.h"
#include "core/pitot.h"
#include "kernel/console/input.h"
#include "kernel/fs/visible.h"
#include "kernel/sched/thread.h"
#include "kernel/seeded/block.h"
#include "kernel/time/ticks.h"

#define ENTRIES 50 /* one per tick: the last is long after the request's timeout */

VISIBLE static void account_enter(struct account *account, int64_t amount)
{
    account->entries++;
    account->balance += amount;
}

VISIBLE static void account_open(struct account *account)
{
    *account = (struct account){.balance = 0};
}

/* The damage is the intended result, so the command does not fail. */
static void account_check(const struct account *account)
{
    if (account->balance == (int64_t)account->entries)
        print("wild: the balance is %ld: correct\n", account->balance);
    else
        print("wild: the balance is %ld, not %lu: something else wrote to shared_block+0x%lx\n",
              account->balance, account->entries, offsetof(struct account, balance));
}

static int account_fill(struct account *account)
{
    account_open(account);
    while (account->entries < ENTRIES) {
        account_enter(account, 1);
        thread_sleep_ns(TICK_NS);
        if (input_interrupted())
            return -EINTR;
    }
    account_check(account);
    return 0;
}

static int wild_run(int argc, char **argv)
{
    union block *block = NULL;
    int error = request_serve(1);

    (void)argc, (void)argv;
    if (!error)
        block = shared_alloc();
    if (block == NULL) {
        print("wild: no block is free\n");
        return -ENOMEM;
    }
    error = account_fill(&block->account);
    shared_free(block);
    return error;
}

PITOT_COMMAND(wild, "",
              "a seeded bug: something writes into an account's balance (docs/tutorial.md)",
              wild_run);
