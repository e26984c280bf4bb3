/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How CPUs reach each other: by NMIs in Pitot's own kernel (kernel/x86_64/entry/nmi.c), in another
 * one by an interrupt of its own (arch/embed/park.c).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Interrupts the CPU, if CPUs can reach each other, so that it calls rendezvous_serve. The caller
 * stores the reason first. Any context.
 */
void reach_send(unsigned cpu);

/* This CPU is about to park the others. Interrupts off. */
void reach_begins(void);

/*
 * Another CPU parks: lets its interrupt come. `flags`: those before the caller turned interrupts
 * off, which may have moved to another CPU. Returns false if the interrupt cannot come.
 */
bool reach_waits(uint64_t flags);

/* This CPU has been parked, and resumes. In the interrupt. */
void reach_resumes(void);
