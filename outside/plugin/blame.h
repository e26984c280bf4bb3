/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The writers of memory, for `pitot blame`: of some places their histories (writers.h), or of all
 * memory the last one (shadow.h). One caller at a time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/store.h"

/* True if the argument begins as one of these; *wrong is NULL, or what is wrong with it. */
bool blame_argument(const char *argument, const char **wrong);

/* The kernel runs so far above the addresses of its file. */
void blame_slide(uint64_t by);

/* Whether stores are wanted. */
bool blame_watch(void);

void blame_on_store(unsigned cpu, const struct store *store);

void blame_tell(void);
