/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of the seeded bug (kernel/seeded/wild.c), and its allocator: two blocks, the first of
 * which a request owns first, then an account. Used in task context; a request's timeout runs in
 * interrupt context.
 */
#pragma once

#include <stdint.h>

struct request {
    uint64_t number;
    int64_t result; /* result of serving the request, or -ETIMEDOUT */
};

struct account {
    uint64_t entries;
    int64_t balance;
};

/* Only the owner may write to it; request.c breaks this rule on purpose. */
extern union block {
    struct request request;
    struct account account;
} shared_block;

/* Returns the first block that is free, as its last owner left it; NULL: none. */
union block *shared_alloc(void);
void shared_free(union block *block);

/* Opens, serves and closes a request in a block, which is then free. A negative errno: none was. */
int request_serve(uint64_t number);
