/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long a CPU waits for other CPUs: a limit to the time during which it has looked at them. Two
 * looks count as no more than PATIENCE_LOOK_NS apart, so that a stop of the whole machine by its
 * host, which nothing in the machine sees except by the clock, is one look, and not the end of the
 * wait.
 *
 * The waiting CPU calls arch_relax between two looks. QEMU with one thread for all CPUs relies on
 * that: its CPUs take turns of up to 0.1 s, and `pause` ends a turn, so each other CPU has a turn
 * between two looks. One turn is enough to take an NMI and to stand still. A stop of the host may
 * cut one turn short, as QEMU's timer of turns is over then, too: so two turns are needed. A limit
 * of three times PATIENCE_LOOK_NS has three looks at least, and two turns between them.
 * PATIENCE_LOOK_NS is not below a turn, so that one CPU that neither answers nor pauses does not
 * make the wait longer than its limit; several of them do, each by as much.
 *
 * Any context, also NMIs and crashes: only the caller's own structure is touched.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PATIENCE_LOOK_NS 100000000ull

struct patience {
    uint64_t limit;  /* ns of waiting that count, */
    uint64_t waited; /* ... and those that have counted so far */
    uint64_t looked; /* the time of the last look */
};

/* Begins a wait, at the time `now`, in ns. */
void patience_begin(struct patience *patience, uint64_t limit, uint64_t now);

/*
 * After each look that found an answer missing: true if the wait is over, and then it stays so.
 * Where the clock goes back, because time is taken out of it, the wait gets that time back.
 */
bool patience_is_over(struct patience *patience, uint64_t now);
