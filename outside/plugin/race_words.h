/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is known of the kernel's memory for the search for races: which lines two CPUs use, and
 * which are meant to be used by several at a time. Both are kept by a hash of the address, without
 * a lock: those that share an entry are taken for one. And the last accesses of a CPU: who does the
 * same again and again, and stores nothing, waits for another CPU. Called by race.c, race_meet.c
 * and shake.c, in the CPU's thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/api.h"
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

/* A callback: an atomic instruction has accessed it, or one that the user has named. */
void race_words_on_atomic(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own);

/* True of a variable, and of an instruction's address, that the user has named as meant so. */
bool race_words_are_named(uint64_t address);

/* True if either was said of one of these bytes. */
bool race_words_do_synchronise(uint64_t address, unsigned length);

/* --- Accesses --- */

#define RACE_RECENTS 8u /* a power of two */

struct race_access {
    uint64_t ip, address;
    qemu_plugin_meminfo_t info;
};

struct race_recent {
    uint32_t count; /* of those that were kept since it is 0 */
    struct race_access accesses[RACE_RECENTS];
};

/* Bytes. */
unsigned race_access_length(const struct race_access *access);
bool race_access_stores(const struct race_access *access);

void race_recent_keep(struct race_recent *recent, const struct race_access *access);

/*
 * True if the last accesses that were kept are what the CPU did just before, too, and none is a
 * store: it waits for a change. At least RACE_RECENTS have been kept.
 */
bool race_recent_polls(const struct race_recent *recent);
