/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Callbacks that translate.c registers with QEMU: they report to the follower and the counters. In
 * QEMU's threads, one per CPU with thread=multi.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/api.h"
#include "outside/plugin/entry.h"

/* Settings, constant while the machine runs. */
extern struct run {
    bool chains;    /* follow calls */
    bool registers; /* samples include registers (registers.h) */
    bool graph;     /* report costs (graph.h) */
    unsigned last;  /* calls kept per CPU (last.h); 0: none */
    /* Derived by run_begin. */
    bool returns; /* there is an event for returns */
    bool entries; /* the entry of each callee is needed */
} run;

/* After all arguments. False: no memory. */
bool run_begin(unsigned cpus);

/* `own`: the struct block that begins. */
void run_block(unsigned cpu, void *own);

/* The first block after a reset begins, which is not the kernel's. */
void run_reset(unsigned cpu, void *own);

/*
 * `own`: an instruction's address. The store of a call; a jump or return if entry_is_told; a load
 * of rsp, and the next access to the stack after it; a store over the value that the next return
 * may read; an access, also by an atomic instruction; a store; a function's entry; a border of the
 * window.
 */
void run_call(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t place, void *own);
void run_leaves(unsigned cpu, void *own);
void run_load(unsigned cpu, void *own);
void run_place(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t place, void *own);
void run_replace(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t place, void *own);
void run_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own);
void run_atomic(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own);
void run_store(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own);
void run_atomic_store(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own);
void run_function(unsigned cpu, void *own);
void run_border(unsigned cpu, void *own);

/* QEMU is about to exit. */
void run_end(void);
