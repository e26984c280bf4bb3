/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Races between CPUs. Now and then a CPU is stopped just after it has accessed memory; if another
 * one meanwhile accesses the same bytes, and one of the two writes, nothing orders them: that is a
 * race, and it has happened. Erickson, Musuvathi, Burckhardt and Olynyk, "Effective Data-Race
 * Detection for the Kernel". Two who hold the same lock cannot meet so, so no lock has to be known.
 *
 * A CPU stops where a word is that another one has used lately too, and each time that it has
 * stopped at an instruction makes it less likely that it stops there again. What it does next shows
 * what has come of a race: a value that was lost, or half of one.
 *
 * Silent is what is meant to be used by several CPUs at a time: words that an atomic instruction
 * has accessed at any time; what is stored before a fence and loaded after it; what is read in a
 * loop that does nothing else; and what --sync names. Called by plugin.c, judges.c and
 * race_watch.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/api.h"
#include "outside/plugin/race_recent.h"
#include "outside/request.h"

/* Returns what is wrong; NULL: nothing. */
const char *race_begin(qemu_plugin_id_t id, const struct request *request, const qemu_info_t *info);

/* True if races are looked for. Needs no lock. */
bool race_watch(void);

/* Registers the callbacks of an instruction that is translated (race_watch.c). */
struct instruction;
void race_watch_instruction(const struct instruction *instruction);

/*
 * An access. False, for nearly all: no more is to be done. Then the same of most that are left.
 * Neither needs the lock.
 */
bool race_looks(unsigned cpu, const struct race_access *access);
bool race_wants(unsigned cpu, const struct race_access *access);

/*
 * What is to be done, with the lock. True: the CPU stops now (pause.h), and then continues; `ran`:
 * others ran meanwhile.
 */
bool race_takes(unsigned cpu, const struct race_access *access);
void race_continues(unsigned cpu, bool ran);

/* True if it stops for its own handlers: until the time of an interrupt. */
bool race_is_alone(unsigned cpu);

/* With the lock: an interrupt has come, `device`: of a device, in the kernel; another code runs. */
void race_interrupted(unsigned cpu, bool device);
void race_switches(unsigned cpu);

/* An access by an atomic instruction; a fence. Neither needs the lock. */
void race_atomic(uint64_t address, qemu_plugin_meminfo_t info);
void race_fence(unsigned cpu);

/* At the end, before anything else is told. Takes the lock. */
void race_end(void);
