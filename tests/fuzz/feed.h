/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fuzzer's bytes, one after another; zeros once they are used up. For the programs of
 * tests/fuzz.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct feed {
    const uint8_t *bytes;
    size_t left;
};

bool feed_is_empty(const struct feed *feed);
uint8_t feed_byte(struct feed *feed);
uint64_t feed_number(struct feed *feed, unsigned bytes); /* little endian */
