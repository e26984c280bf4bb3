/* SPDX-License-Identifier: BSD-2-Clause */
/* See block.h. */
#include "kernel/seeded/block.h"

#include <stdbool.h>
#include <stddef.h>

#include "core/lib/assert.h"

union block shared_block;
static union block second_block;

static struct {
    union block *block;
    bool taken;
} blocks[] = {{&shared_block, false}, {&second_block, false}};

#define BLOCKS (sizeof(blocks) / sizeof(*blocks))

union block *shared_alloc(void)
{
    for (size_t i = 0; i < BLOCKS; i++)
        if (!blocks[i].taken) {
            blocks[i].taken = true;
            return blocks[i].block;
        }
    return NULL;
}

void shared_free(union block *block)
{
    size_t i = 0;

    while (i < BLOCKS && blocks[i].block != block)
        i++;
    assert(i < BLOCKS && blocks[i].taken);
    blocks[i].taken = false;
}
