/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of the seeded bug (kernel/seeded/wild.c): one block with one owner at a time, like a
 * block of an allocator. A request owns it first, then an account. Task context, except for a
 * request's timeout, which runs in interrupt context.
 */
#pragma once

#include <stdint.h>

struct request {
    uint64_t number;
    int64_t result; /* of serving the request, or -ETIMEDOUT */
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

/* Opens a request in the block, serves it and closes it: afterwards the block is free. */
void request_serve(uint64_t number);
