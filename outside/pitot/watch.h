/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the user's QEMU with the plugin, to its end, and takes what the plugin says. Called by
 * the commands.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/pitot/event.h"
#include "outside/wire.h"

struct watch {
    const struct kernel *kernel;
    const struct events *events;
    char *const *command; /* QEMU's */
    bool chains, sampled; /* chains: calls are followed; not sampled: counted alone */
    bool registers;       /* samples have them */
    uint64_t most;        /* samples; 0: any number */
    bool streams;         /* standard output is the command's, not QEMU's */
    const char *wanted;   /* more arguments of the plugin, each behind a comma; NULL: none */
    /*
     * The command's own: takes a record that is no count, a context once contexts.h has it; and is
     * told when the records that came at once are taken. NULL: they are dropped, or nothing is
     * done.
     */
    int (*take)(const struct wire_head *record, struct refusal *why);
    int (*taken)(struct refusal *why);
    /* What came of it. */
    bool begun, whole; /* whole: the plugin said its counts, and WIRE_END */
    uint32_t cpus;
    uint64_t hits[EVENTS_MAX];
    uint64_t slide;   /* how far the kernel runs above the addresses of its file */
    uint64_t patched; /* instructions that differed from the file's */
    struct wire_end end;
    int status; /* QEMU's, as a shell gives it */
};

/* What QEMU has to be, and its plugin. 0, or a negative errno and the reason. */
int watch_prepare(struct watch *watch, struct refusal *why);

/* 0, or a negative errno and the reason; then QEMU has been ended. */
int watch_run(struct watch *watch, struct refusal *why);

/* On stderr, if so: no code of the kernel's file ran, to the end. Whether it is so. */
bool watch_tell_unrun(const struct watch *watch);

/* On stderr: so many of these, if there are any. */
void watch_tell(uint64_t count, const char *what);

/* ... where the kernel was not what its file says, and what is missing in the answer. */
void watch_tell_losses(const struct watch *watch);
