/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts that judge what the kernel does with memory that its code shares: of the heap (heap.h),
 * under locks (kernel_locks.h), on several CPUs (race.h). Called by outside/plugin/translate.c,
 * with the plugin's lock.
 */
#pragma once

#include <stdint.h>

struct instruction;

/* Registers the callbacks of an instruction that is translated. */
void judges_watch(const struct instruction *instruction);

/* The kernel runs this much further than it was thought to. */
void judges_slide(uint64_t by);
