/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of the kernel's memory for the search for races: which words two CPUs use, and
 * which are meant to be used by several at a time. Both are kept by a hash of the address, without
 * a lock: words that share an entry are taken for one. Called by outside/plugin/race.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* False: no memory. */
bool race_words_begin(void);

/* A CPU uses the word of 8 bytes at address 8 * `word`. */
void race_words_use(unsigned cpu, uint64_t word);

/* True if the last two uses of the word were by two CPUs. */
bool race_words_are_shared(uint64_t word);

/* These bytes are a lock, an atomic variable or a flag that is waited for. */
void race_words_synchronise(uint64_t address, unsigned length);

/* True if that was said of one of these bytes. */
bool race_words_do_synchronise(uint64_t address, unsigned length);
