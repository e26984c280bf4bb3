/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is counted and sampled: executed instructions, accesses of memory, calls of functions,
 * their returns, interrupts; each by an argument of the plugin's. One caller at a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "outside/plugin/follow.h"
#include "outside/wire.h"

#define EVENTS_MOST 256

/*
 * insn:PERIOD, mem:ADDRESS:LENGTH:r|w|rw:PERIOD, call:FILE:PERIOD, return:FILE:PERIOD, irq:PERIOD;
 * `stops`: its first hit is the last that is counted of any. NULL, or what is wrong. Addresses are
 * those of the kernel's file, but in at:..., which is mem: otherwise.
 */
const char *events_add(const char *argument, bool stops);

/* The kernel runs so far above the addresses of its file. */
void events_slide(uint64_t by);

bool events_watch(void);

/* Whether the address, of the file, is the beginning of a function of an event. */
bool events_call(uint64_t address);

/* Whether an event is of returns. */
bool events_returns(void);

/*
 * That CPU's clock, its count of instructions, is `time`: samples it, if that is due. Returns when
 * it is to be called next; at first at any time.
 */
uint64_t events_on_instructions(unsigned cpu, uint64_t time, uint64_t ip);

/* Around all memory of events; changed by events_add and events_slide alone. */
extern uint64_t events_first, events_last;

/* Whether an access may be an event's. Any thread. */
static inline bool events_are_near(uint64_t address, unsigned length)
{
    return address <= events_last && address + length - 1 >= events_first;
}

/* What has happened on that CPU; the access is near; `access`: bits of enum wire_access. */
void events_on_access(unsigned cpu, uint64_t time, uint64_t ip, uint64_t address, unsigned length,
                      unsigned access);
void events_on_call(unsigned cpu, uint64_t time, uint64_t ip);

/* The return instruction at `ip` has ended that call. */
void events_on_return(unsigned cpu, uint64_t time, uint64_t ip,
                      const struct follow_returned *returned);

/* Whether an event that stops all has been hit; told once. */
bool events_stopped(void);

/* An interrupt or exception whose handler begins at `ip`; the follower knows of it. */
void events_on_interrupt(unsigned cpu, uint64_t time, uint64_t ip);

/* Tells how often each was hit; `instructions` were executed on all CPUs. */
void events_tell(uint64_t instructions);
