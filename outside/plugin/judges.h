/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts that judge what the kernel does with memory that its code shares: of the heap (heap.h),
 * under locks (kernel_locks.h), on several CPUs (race.h); and what shakes those
 * (shake.h). Called by translate.c and plugin.c.
 */
#pragma once

#include <stdint.h>

#include "outside/plugin/api.h"
#include "outside/request.h"

struct instruction;

/* What begins after all else, before the machine of at most so many CPUs runs; NULL: well. */
const char *judges_begin(qemu_plugin_id_t id, const struct request *request, unsigned cpus);

/* At the end, before all else. Takes the plugin's lock. */
void judges_end(void);

/* Registers the callbacks of an instruction that is translated, with the plugin's lock. */
void judges_watch(const struct instruction *instruction);

/* The kernel runs this much further than it was thought to. */
void judges_slide(uint64_t by);
