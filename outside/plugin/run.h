/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Callbacks that translate.c registers with QEMU: they report to the follower and the counters.
 * They run in QEMU's threads, one per CPU with thread=multi.
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

/* The machine was reset: its first block begins, which is not the kernel's. */
void run_reset(unsigned cpu, void *own);

/*
 * `own` is an instruction's address. In this order, they report: the store of a call; the beginning
 * of an instruction for which entry_is_told is true; a load of rsp, and the next access to the
 * stack after it; a store over the value that the next return may read; an access, and one by an
 * atomic instruction; a store, and one by an atomic instruction; a function's entry; a border of
 * the window.
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
