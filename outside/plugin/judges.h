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
struct run_interrupt;

/* What begins after all else, before the machine runs. Returns NULL, or what is wrong. */
const char *judges_begin(qemu_plugin_id_t id, const struct request *request,
                         const qemu_info_t *info);

/* At the end, before all else. Takes the plugin's lock; for the rest it is taken. */
void judges_end(void);

/* An interrupt has come. */
void judges_interrupt(unsigned cpu, const struct run_interrupt *interrupt);

/* Before and after what runs on the CPU may be something else. */
void judges_before_switch(unsigned cpu);
void judges_after_switch(unsigned cpu);

/* A call that follow_allocates was told of has returned. */
void judges_return(unsigned cpu, uint64_t number);

/* The machine was reset; the end, with the rest of what is told. */
void judges_reset(void);
void judges_tell(void);

/* Registers the callbacks of an instruction that is translated, with the plugin's lock. */
void judges_watch(const struct instruction *instruction);

/* The kernel runs this much further than it was thought to. */
void judges_slide(uint64_t by);
