/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An array whose entries have numbers that count up, as threads and locks have; it grows as they
 * come. Under the plugin's lock, which also guards what is found until the next number comes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct numbered {
    void *entries;
    uint32_t room; /* entries that there are */
};

/* Returns the entry, of `size` bytes: zeroes, if it is new. NULL: no memory. */
void *numbered_at(struct numbered *array, uint32_t number, size_t size);
