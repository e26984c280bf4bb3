/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command `wild`, a seeded bug for README.md and docs/tutorial.md. A wild write damages an
 * account's balance; the code for accounts is correct. Task context, interrupts on; a request's
 * timeout runs in interrupt context.
 */
#include <linux/errno.h>
#include <stddef.h>

#include "core/lib/assert.h"
#include "core/lib/print.h"
#include "core/pitot.h"
#include "kernel/console/input.h"
#include "kernel/sched/thread.h"
#include "kernel/time/ticks.h"
#include "kernel/time/timer.h"

/* Keeps a function, its frame and its name in call chains. */
#define SEEN __attribute__((noinline, used))

struct request {
    uint64_t number;
    int64_t result; /* result of serving the request, or -ETIMEDOUT */
};

struct account {
    uint64_t entries;
    int64_t balance;
};

/* --- The memory, and its allocator: two blocks, the first of which a request owns first. --- */

/* Only the owner may write to it; requests break this rule on purpose. */
static union block {
    struct request request;
    struct account account;
} shared_block, second_block;

static struct {
    union block *block;
    bool taken;
} blocks[] = {{&shared_block, false}, {&second_block, false}};

#define BLOCKS (sizeof(blocks) / sizeof(*blocks))

/* Returns the first block that is free, as its last owner left it; NULL: none. */
SEEN static union block *shared_alloc(void)
{
    for (size_t i = 0; i < BLOCKS; i++)
        if (!blocks[i].taken) {
            blocks[i].taken = true;
            return blocks[i].block;
        }
    return NULL;
}

SEEN static void shared_free(union block *block)
{
    size_t i = 0;

    while (i < BLOCKS && blocks[i].block != block)
        i++;
    assert(i < BLOCKS && blocks[i].taken);
    blocks[i].taken = false;
}

/*
 * --- The cause: a request's owner frees its memory without cancelling its timer, whose function
 * later writes to the next owner's memory. ---
 */

#define TIMEOUT_NS (10 * TICK_NS)

/* Not in the block, so that the bug damages an account and not the list of timers. */
static struct timer timeout;

/* Runs in interrupt context. */
SEEN static void request_expire(void *data)
{
    struct request *request = data;

    request->result = -ETIMEDOUT;
}

/* Opens, serves and closes a request in a block, which is then free. A negative errno: none was. */
SEEN static int request_serve(uint64_t number)
{
    union block *block = shared_alloc();

    if (block == NULL)
        return -ENOMEM;
    timer_cancel(&timeout); /* may be pending after a run that ^C interrupted */
    timeout.function = request_expire;
    timeout.data = &block->request;
    timer_start(&timeout, TIMEOUT_NS, 0);
    block->request.number = number;
    block->request.result = 0;
    shared_free(block); /* the bug: timer_cancel(&timeout) is missing */
    return 0;
}

/* --- The victim. --- */

#define ENTRIES 50 /* one per tick: the last is long after the request's timeout */

SEEN static void account_enter(struct account *account, int64_t amount)
{
    account->entries++;
    account->balance += amount;
}

SEEN static void account_open(struct account *account)
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
