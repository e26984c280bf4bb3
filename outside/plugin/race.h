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
 * A CPU's code races with the handlers of devices' interrupts on that CPU, too: the code has
 * accessed memory, the interrupt has come, the handler has accessed the same bytes, and one of the
 * two writes. On one CPU that is wrong only if it matters to the code: told is a value that is
 * lost, or half of one. Known from QEMU 9.2 on.
 *
 * Silent is what is meant to be used by several CPUs at a time: words that an atomic instruction
 * has accessed at any time; what is stored before a fence and loaded after it; what is read in a
 * loop that does nothing else; and what --sync names. Called by judges.c.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/api.h"
#include "outside/plugin/race_words.h"
#include "outside/request.h"
#include "outside/wire.h"

/* Returns what is wrong; NULL: nothing. */
const char *race_begin(qemu_plugin_id_t id, const struct request *request, const qemu_info_t *info);

/* Registers the callbacks of an instruction that is translated. */
struct instruction;
void race_watch_instruction(const struct instruction *instruction);

/* With the lock: an interrupt has come, `device`: of a device, in the kernel; another code runs. */
void race_interrupted(unsigned cpu, bool device);
void race_switches(unsigned cpu);

/* At the end, before anything else is told. Takes the lock. */
void race_end(void);

/*
 * --- Who meets a CPU that is stopped: race_meet.c ---
 *
 * What other CPUs do with the bytes at which a CPU is stopped, and what comes of it: which of them
 * met it, and, from what both access next, whether a value was lost or half of one seen. With the
 * plugin's lock, unless a function says otherwise.
 */

/* `cpus`: the most that the machine may have. False: no memory. */
bool race_meet_begin(unsigned cpus);

/* The CPU stops just after this access. False: it does not, as the access is to a device. */
bool race_meet_stop(unsigned cpu, const struct race_access *access);

/* ... and continues. */
void race_meet_continue(unsigned cpu);

/* False: no CPU is stopped at these bytes. Needs no lock. */
bool race_meet_is_near(uint64_t address);

/* True if the CPU's next accesses are of interest: it was met, or has met. Needs no lock. */
bool race_meet_is_watched(unsigned cpu);

/* An access near one at which a CPU is stopped; any access of a CPU that is watched. */
void race_meet_near(unsigned cpu, const struct race_access *access);
void race_meet_watched(unsigned cpu, const struct race_access *access);

/* True if the CPU runs what it was stopped in, and no handler above that. */
bool race_meet_is_at(unsigned cpu);

/*
 * For interrupts: the handler of one that has come after a stop meets the CPU, until it returns.
 * True of an access to the bytes of the stop; and if the handler still runs.
 */
bool race_meet_is_own(unsigned cpu, const struct race_access *access);
bool race_meet_is_within(unsigned cpu);
void race_meet_interrupt(unsigned cpu);
void race_meet_return(unsigned cpu);

/* No more is to come. */
void race_meet_end(void);

/*
 * --- The races that were seen: race_report.c ---
 *
 * Those of the same two instructions are one, with a count and the worst that has come of it. They
 * are told at the end: only then is known what synchronises. With the plugin's lock.
 */

/* False: no memory. */
bool race_report_begin(void);

/* `then`: as in struct wire_race. */
void race_report(enum wire_race_kind kind, const struct wire_race_side *stopped,
                 const struct wire_race_side *other, uint64_t then);

/* A CPU is stopped, at an instruction where none was before if `first`. */
void race_report_stop(bool first);

/* It continues; others ran meanwhile if `ran`. */
void race_report_continue(bool ran);

/* An interrupt has come just after a stop. */
void race_report_interrupt(void);

/* At the end. */
void race_report_tell(void);
