/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A limit on how long a CPU waits for other CPUs. Only the time during which it polls them counts:
 * the interval between two polls counts as at most PATIENCE_LOOK_NS. So if the host stops the whole
 * machine, which is visible inside the machine only by the clock, that counts as one poll interval
 * and does not end the wait.
 *
 * The waiting CPU calls arch_relax between two polls. QEMU with one thread for all CPUs relies on
 * that: its CPUs take turns of up to 0.1 s, and `pause` ends a turn, so every other CPU has a turn
 * between two polls. One turn is enough to take an NMI and stop. A stop of the host may cut one
 * turn short, as QEMU's timer for turns expires then, too, so two turns are needed. A limit of
 * three times PATIENCE_LOOK_NS gives at least three polls, with two turns between them.
 * PATIENCE_LOOK_NS is not shorter than a turn, so that one CPU that neither answers nor pauses does
 * not extend the wait beyond its limit; several such CPUs do, each by that amount.
 *
 * Any context, including NMIs and crashes: only the caller's own structure is accessed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define PATIENCE_LOOK_NS 100000000ull

struct patience {
    uint64_t limit;  /* limit on counted waiting time, in ns */
    uint64_t waited; /* waiting time counted so far, in ns */
    uint64_t looked; /* the time of the last poll */
};

/* Starts a wait at time `now`, in ns. */
void patience_begin(struct patience *patience, uint64_t limit, uint64_t now);

/*
 * Called after each poll without all answers: true if the wait is over, and from then on. If the
 * clock goes backwards, because time is taken out of it, that time no longer counts as waited.
 */
bool patience_is_over(struct patience *patience, uint64_t now);
