/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the user's QEMU with the plugin until it exits, and takes the plugin's records. Called by
 * the commands.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/refusal.h"
#include "outside/pitot/event.h"
#include "outside/request.h"
#include "outside/wire.h"

/* What QEMU lets a plugin do. */
enum watch_right {
    WATCH_READS,  /* registers, and values of accesses */
    WATCH_WRITES, /* registers */
    WATCH_SKIPS,  /* to continue elsewhere, as after a call that is not made */
    WATCH_RIGHTS,
};

struct watch {
    const struct kernel *kernel;
    const struct events *events;
    char *const *command;            /* QEMU's */
    bool sampled;                    /* take samples, not only counts */
    const char *needs[WATCH_RIGHTS]; /* what was asked for that needs the right; NULL: nothing */
    bool streams;                    /* standard output belongs to the command, not to QEMU */
    /*
     * What the plugin is asked for: set by the command, and completed from `events` and `kernel`;
     * the addresses that follow it.
     */
    struct request request;
    uint64_t *addresses;
    size_t address_room;
    /*
     * Set by the command; each may be NULL. `take` receives records (a context after contexts_add);
     * `taken` is called after each batch of records.
     */
    int (*take)(const struct wire_head *record, struct refusal *why);
    int (*taken)(struct refusal *why);
    /* The results. */
    bool begun, whole; /* whole: the counts and WIRE_END were received */
    uint32_t cpus;
    uint64_t hits[EVENTS_MOST];
    uint64_t slide;   /* the kernel's run-time address minus its link address */
    uint64_t late;    /* blocks that ran before the slide was known */
    uint64_t patched; /* instructions that differed from the file's */
    bool unknown;     /* code in the upper half ran, and none of the file's */
    struct wire_end end;
    bool asked; /* a signal has ended QEMU */
    int status; /* QEMU's, as a shell reports it */
};

/* Checks QEMU, and finds its plugin. */
int watch_prepare(struct watch *watch, struct refusal *why);

/* Runs QEMU until it exits. If this fails, QEMU has been terminated. */
int watch_run(struct watch *watch, struct refusal *why);

/* True if code of the kernel's file ran, and the results are whole. */
bool watch_ran(const struct watch *watch);

/*
 * Unless `count` is 0, reports on stderr the count, the noun (plural unless 1), and what happened.
 */
void watch_tell(uint64_t count, const char *noun, const char *what);

/* Reports on stderr that nothing ran within --start and --until; false: something did. */
bool watch_tell_empty(const struct watch *watch, const struct pitot_options *options);

/* Reports on stderr how the kernel differed from its file, and what the results lack, or why. */
void watch_tell_losses(const struct watch *watch);

/* --- The bytes of the pipe as records of outside/wire.h, validated: wire_reader.c --- */

#define WIRE_ROOM (1 << 20)

struct wire_reader {
    size_t begin, end; /* the bytes not yet read */
    uint64_t bytes[WIRE_ROOM / 8];
};

/*
 * wire_room returns a buffer for more bytes, and its size; wire_filled takes the number stored
 * there.
 */
void *wire_room(struct wire_reader *reader, size_t *room);
void wire_filled(struct wire_reader *reader, size_t count);

/* Returns 1 and a record, 0 if more bytes are needed, or a negative errno and the reason. */
int wire_next(struct wire_reader *reader, const struct wire_head **record, struct refusal *why);
