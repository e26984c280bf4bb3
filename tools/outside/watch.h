/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's run, from one hit to the next, behind QEMU's stub. Called by tools/outside/main.c.
 * Functions that return false have printed the reason.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "tools/outside/point.h"
#include "tools/stub/stub.h"

/* What a hit found, while the machine stands still. */
struct hit {
    struct machine machine;
    struct watch *watch;
    struct point *point;
    unsigned cpu;
    bool user; /* the CPU ran a program */
};

#define BLOCK_WORDS 64
#define BLOCKS      8

struct watch {
    struct stub stub;
    /* Memory that was read at this hit: a walk asks for a word at a time. */
    struct {
        uint64_t address;
        uint64_t words[BLOCK_WORDS];
    } blocks[BLOCKS];
    unsigned block_count;

    struct point *points;
    unsigned point_count;
    uint64_t until;              /* execution there ends the watch; 0: nothing does */
    uint64_t deadline_ns;        /* by watch_clock_ns; 0: none */
    volatile sig_atomic_t *stop; /* a person wants it to end */
    bool machine_ended;
};

uint64_t watch_clock_ns(void); /* the host's, from some start on */

/* The machine runs until a CPU comes to that address, where it stands still. */
bool watch_run_to(struct watch *watch, uint64_t address);

bool watch_begin(struct watch *watch);

/* The machine runs until the next hit. WATCH_ENDS: by `until`, time, a person, or its own end. */
enum watch_result { WATCH_HIT, WATCH_ENDS, WATCH_FAILS };
enum watch_result watch_next(struct watch *watch, struct hit *hit);

/* Takes all points away, and lets the machine run on by itself. */
bool watch_end(struct watch *watch);
