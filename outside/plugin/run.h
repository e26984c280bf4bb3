/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What happens while the machine runs: facts about calls, returns and stacks go to the follower,
 * and what they hit to the counters. Called in QEMU's threads, one per CPU with thread=multi, by
 * the callbacks of facts_*.c and clock.c, and by callbacks that translate.c registers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/plugin/api.h"
#include "outside/plugin/facts.h"
#include "outside/plugin/follow.h"
#include "outside/request.h"

/*
 * The lock of all state that QEMU's threads share, one per CPU with thread=multi (plugin.c). A
 * CPU's own state and its current stack need none (follow.h, stack.h). With one CPU there is no
 * lock.
 */
void plugin_lock_begin(unsigned cpus);
void plugin_lock(void);
void plugin_unlock(void);

/* What is wanted, constant while the machine runs. */
extern struct run {
    bool chains;    /* follow calls */
    bool registers; /* samples include registers (registers.h) */
    bool graph;     /* report costs (graph.c) */
    unsigned last;  /* calls kept per CPU (last.c); 0: none */
    bool locks;     /* the kernel's locks (kernel_locks.h) */
    bool trace;     /* who ran when (trace.h) */
    /* Derived from events and these. */
    bool returns; /* there is an event for returns */
    bool samples; /* there is an event for instructions, with a period */
    bool entries; /* the entry of each callee is needed */
    bool vectors; /* the vectors of interrupts are needed */
} run;

/*
 * Tells each part what it has to do, before the machine of at most so many CPUs runs. Returns NULL,
 * or what is wrong.
 */
const char *run_begin(qemu_plugin_id_t id, const struct request *request, unsigned cpus);

/* Takes the plugin's lock, for what this CPU has done. False: it is too late to count it. */
bool run_take(unsigned cpu);

/* A call has stored its return address at `place`; a return, `ip`, has read it from there. */
void run_call(unsigned cpu, uint64_t place, const struct code *call);
void run_return(unsigned cpu, uint64_t place, uint64_t ip);

/* What interrupt came. */
struct run_interrupt {
    struct follow_interrupt follow;
    uint64_t stored_at; /* the CPU's frame, with an error code */
    unsigned stored;    /* bytes of it; 0: not known */
    int vector;         /* RUN_VECTOR_UNKNOWN if several share the handler */
    uint32_t error;
    uint64_t flags; /* in the handler, if run.locks */
};

enum { RUN_VECTOR_UNKNOWN = -1 };

/* An interrupt has come; the lock is taken here. */
void run_interrupt(unsigned cpu, const struct run_interrupt *interrupt);

/*
 * Before and after any other report to the follower: take and give the lock, and charge the
 * instructions until now to what was current.
 */
void run_change(unsigned cpu);
void run_changed(unsigned cpu);

/* A callee or handler whose entry was not known begins at `ip`. */
void run_begins(unsigned cpu, uint64_t ip);

/* Samples are due at `time`, in a block that begins at `ip`. Returns when the next ones are. */
uint64_t run_due(unsigned cpu, uint64_t time, uint64_t ip);

/* Callbacks. The machine was reset: its first block begins, which is not the kernel's. */
void run_reset(unsigned cpu, void *own);

/*
 * `own` is an instruction's address. In this order: an access, and one by an atomic instruction; a
 * store, one by an atomic instruction, and one by a call in QEMU 7.2; a function's entry; sysret;
 * an instruction that may change what is mapped. Then a border of the window: a struct code whose
 * `next` is the number of its block's instructions that have not run yet.
 */
void run_access(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own);
void run_atomic(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own);
void run_store(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own);
void run_atomic_store(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own);
void run_call_store(unsigned cpu, qemu_plugin_meminfo_t info, uint64_t address, void *own);
void run_function(unsigned cpu, void *own);
void run_sysret(unsigned cpu, void *own);
void run_remap(unsigned cpu, void *own);
void run_border(unsigned cpu, void *own);

/*
 * The CPU waits: it is halted, or QEMU has stopped the machine, as it does before it exits. Not
 * called if QEMU runs all CPUs in one thread.
 */
void run_idle(unsigned cpu);

/* QEMU is about to exit. */
void run_end(void);

/* --- Code that QEMU translates: translate.c --- */

/* Registers callbacks where something in the block must be followed or counted. */
void translate_block(struct qemu_plugin_tb *translated);

/* True once the kernel's first block was translated; false again after a reset. Needs no lock. */
bool translate_has_begun(void);

/*
 * --- Who judges what the kernel does with memory that its code shares: judges.c ---
 *
 * Of the heap (heap.h), under locks (kernel_locks.h), on several CPUs (race.h); and what shakes
 * those (shake.h).
 */

/* What begins after all else, before the machine runs. Returns NULL, or what is wrong. */
const char *judges_begin(qemu_plugin_id_t id, const struct request *request,
                         const qemu_info_t *info);

/* At the end, before all else. Takes the plugin's lock; for the rest it is taken. */
void judges_end(void);

/* An interrupt has come. */
void judges_interrupt(unsigned cpu, const struct run_interrupt *interrupt);

/* Before and after what runs on the CPU may be something else. */
void judges_before_switch(unsigned cpu);
void judges_after_switch(unsigned cpu);

/* A call that follow_allocates was told of has returned. */
void judges_return(unsigned cpu, uint64_t number);

/* The machine was reset; the end, with the rest of what is told. */
void judges_reset(void);
void judges_tell(void);

/* Registers the callbacks of an instruction that is translated, with the plugin's lock. */
void judges_watch(const struct instruction *instruction);

/* The kernel runs this much further than it was thought to. */
void judges_slide(uint64_t by);

/*
 * --- How often each block runs, for `pitot cover`: cover.c ---
 *
 * Translated code adds to a counter, without a callback. QEMU before 9 has no counters per CPU:
 * with several CPUs, it calls back. One caller at a time, as of the next two.
 */

/* `all`: the most CPUs that the machine may have. */
void cover_begin(const struct request *request, unsigned all);

bool cover_watch(void);

/* Must be called when QEMU has translated this block, perhaps again. `slide`: as of code_check. */
void cover_block(struct qemu_plugin_tb *block, uint64_t slide);

/* Reports the blocks that ran. Returns the number of instructions they executed. */
uint64_t cover_tell(void);

/*
 * --- The cost of each path of functions, for `pitot graph`: graph.c ---
 *
 * The number of calls of its last function, and the instructions that this function executed
 * itself.
 */

/* After follow_init. False: no memory. */
bool graph_init(void);

/*
 * The CPU has executed `time` instructions, and follow_context is current; `called`: a callee
 * begins. Call it after each block that called or may have left a function.
 */
void graph_continue(unsigned cpu, bool called, uint64_t time);

/*
 * At the end, call graph_end for each CPU with its instruction count, then graph_tell, which
 * reports all costs.
 */
void graph_end(unsigned cpu, uint64_t time);
void graph_tell(void);

/* --- The last calls and interrupts of each CPU, in a ring, for `pitot last`: last.c --- */

/* Sets the number of calls kept per CPU; 0: none. */
void last_init(uint32_t length);

struct last_interrupt {
    int32_t vector; /* -1: not known */
    uint32_t error;
};

/*
 * A callee or handler begins at `ip`, NULL or by this interrupt; the CPU has executed `time`
 * instructions.
 */
void last_begins(unsigned cpu, uint64_t ip, uint64_t time, const struct last_interrupt *interrupt);

/*
 * Must be called at the end: reports the CPU, whose last block is at `ip`, and its last calls.
 * `called`: this block has called what has not begun.
 */
void last_tell(unsigned cpu, uint64_t ip, uint64_t time, bool called);
