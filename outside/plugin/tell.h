/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the records of outside/wire.h into the command's pipe. One caller at a time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/wire.h"

/*
 * `fd` is the pipe that QEMU has inherited; `with_registers`: samples include them. False: it
 * cannot be written.
 */
bool tell_begin(int fd, unsigned cpus, bool with_registers);

/*
 * These, but for mappings and what memory holds, first send the record's context and thread, unless
 * sent before.
 */
void tell_sample(struct wire_sample *sample, unsigned cpu);
void tell_mapping(uint64_t virtual, uint64_t physical, uint64_t seen);
void tell_word(struct wire_word *write, unsigned cpu);
void tell_held(struct wire_held *held);
void tell_where(struct wire_where *where, unsigned cpu);
void tell_last(struct wire_last *last, unsigned cpu);
void tell_cost(uint32_t context, uint64_t calls, uint64_t instructions);

/* Sends the contexts of a report first, and flushes: the kernel may not live long. */
void tell_heap(struct wire_heap *report, unsigned cpu);
void tell_live(uint32_t context, uint64_t objects, uint64_t bytes, uint64_t peak);
void tell_objects(struct wire_objects *totals);

/* These send the contexts of all their places first. */
void tell_lock(struct wire_lock *lock);
void tell_lock_order(struct wire_lock_order *order);
void tell_lock_wait(struct wire_lock_wait *wait, unsigned cpu);
void tell_masked(struct wire_masked *masked, unsigned cpu);
void tell_locks(struct wire_locks *totals);

void tell_race(struct wire_race *race);
void tell_stops(struct wire_stops *stops);

/* These send the thread first, which may be in this context, or at `ip`. */
void tell_slice(struct wire_slice *slice, uint32_t context, unsigned cpu);
void tell_ran(struct wire_run *ran, uint32_t context, uint64_t ip, unsigned cpu);
void tell_traced(struct wire_traced *totals);

/* These send the context first, and the thread, which is in it. */
void tell_lock_slice(struct wire_lock_slice *slice);
void tell_wake(struct wire_wake *wake, unsigned cpu);

void tell_woken(struct wire_woken *woken, unsigned cpu);

/* Sends a struct wire_number. */
void tell_number(enum wire_kind kind, unsigned cpu, uint64_t number);

void tell_block(uint64_t start, uint64_t end, uint64_t count);
void tell_count(unsigned event, uint64_t hits);

/* Sends and flushes the record at once, because the command then terminates QEMU. */
void tell_strange(uint64_t different, uint64_t blocks);

/* Sends and flushes WIRE_UNKNOWN, which the command tells at once. */
void tell_unknown(uint64_t address);

/* Sends and flushes WIRE_ONE_THREAD, because the command then terminates QEMU. */
void tell_one_thread(unsigned cpu);

/* Sends the last record, with the counts of lost data filled in. */
void tell_end(struct wire_end *end);
