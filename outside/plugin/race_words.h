/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of the kernel's memory for the search for races: which lines two CPUs use, and
 * which are meant to be used by several at a time. Both are kept by a hash of the address, without
 * a lock: those that share an entry are taken for one. Called by race.c, race_meet.c and shake.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/request.h"

/* False: no memory. A second time it does nothing. */
bool race_words_begin(const struct request *request);

void race_words_slide(uint64_t by);

/* A user, as a CPU, uses the line of this number. */
void race_words_use(unsigned user, uint64_t line);

/* True if the last two uses of the line were by two users; if by these two. */
bool race_words_are_shared(uint64_t line);
bool race_words_are_of(uint64_t line, unsigned user, unsigned other);

/* These bytes are a lock, an atomic variable or a flag that is waited for. */
void race_words_synchronise(uint64_t address, unsigned length);

/* True of a variable, and of an instruction's address, that the user has named as meant so. */
bool race_words_are_named(uint64_t address);

/* True if either was said of one of these bytes. */
bool race_words_do_synchronise(uint64_t address, unsigned length);
