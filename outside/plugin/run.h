/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What happens while the machine runs: QEMU calls these, as translate.c has asked it to, and what
 * is followed and counted is told. In QEMU's threads, one for each CPU with thread=multi.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/api.h"
#include "outside/plugin/entry.h"

/* What is wanted; it does not change while the machine runs. */
extern struct run {
    bool chains;    /* calls are followed */
    bool registers; /* samples have them (registers.h) */
    bool graph;     /* costs are told (graph.h) */
    unsigned last;  /* so many calls of each CPU are kept (last.h); 0: none */
    /* What run_begin makes of it. */
    bool returns; /* an event is of them */
    bool entries; /* which function a call has begun matters */
} run;

/* All arguments are known. False: no memory. */
bool run_begin(unsigned cpus);

/* `own`: the struct block that begins. */
void run_block(unsigned cpu, void *own);

/* The first block after a reset begins, which is no kernel's. */
void run_reset(unsigned cpu, void *own);

/*
 * `own`: an instruction's address. A call's store; a jump or return that entry.h wants to be told;
 * a load of rsp, and the next access to the stack after one; a store over what the next return may
 * read; an access, also by an atomic
 * instruction; a store alone; an entry of a function; a border of the window.
 */
void run_call(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t place, void *own);
void run_leaves(unsigned cpu, void *own);
void run_load(unsigned cpu, void *own);
void run_place(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t place, void *own);
void run_replace(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t place, void *own);
void run_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own);
void run_atomic(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own);
void run_store(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own);
void run_function(unsigned cpu, void *own);
void run_border(unsigned cpu, void *own);

/* The machine has ended. */
void run_end(void);
