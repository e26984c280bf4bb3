/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last writers of the places that `pitot blame` asks about: for each word of a place a history
 * of its writes, exact to the byte. Writes in a row by the same instruction in the same context and
 * thread, to the same or adjacent bytes, are one entry with a count. One caller at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/store.h"

/* writes=N, entries of each history; before the first place. NULL, or what is wrong. */
const char *writers_keep(const char *argument);

/*
 * place=ADDRESS:LENGTH, in hexadecimal and decimal; at=...: whatever the kernel's slide. NULL, or
 * what is wrong.
 */
const char *writers_add(const char *argument);
const char *writers_add_fixed(const char *argument);

/* The kernel runs so far above the addresses of its file. */
void writers_slide(uint64_t by);

/* Whether there is a place. */
bool writers_watch(void);

void writers_on_store(unsigned cpu, const struct store *store);

/* Tells the histories, the newest write of each word first. */
void writers_tell(void);
