/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a kernel calls beside pitot.h if it is linked with Pitot's own entries (kernel/x86_64):
 * where the stream, samples by time, gdb and a recording of the boot begin. Steps of the boot, in
 * task context and once each, unless stated otherwise. Their names are those of their rooms: such a
 * kernel is linked with all of core/, where only pitot.h keeps its names apart.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct regs;
struct sink;

/*
 * Finds the last boot's recording, and prints which tables of the kernel cannot be used, and why.
 * Called before the first recording, once the console, memory_take and memory_kept work.
 */
void pitot_boot_begins(void);

/* Returns which Pitot this is, for a line of the boot: "version 0.1, 2012 symbols". */
const char *pitot_banner(void);

/* --- The stream (docs/stream.md). --- */

/* Sets its binary port; *left counts the bytes it has sent. A later call replaces the port. */
void stream_port_set(struct sink *sink, const uint64_t *left);

/* Without a port it leaves by the console: *left counts the characters the console has sent. */
void stream_block_set(const uint64_t *left);

/* Starts the thread that drains a recording into the port. Called once threads run. */
void drain_init(void);

/* --- A recording of the boot. --- */

/* Limits each event of later recordings to `most` samples per second; 0: no limit. */
void session_set_rate(uint64_t most);

/*
 * Begins a recording, or prints why it cannot. Modifies `text`, the arguments of `perf`, such as
 * "record -e EVENT".
 */
void perf_record_boot(char *text);

/* Ends and streams the recording that perf_record_boot began, if any. */
void perf_record_boot_end(void);

/* --- Samples by time: pitot_tick, with a timer that can be faster, or an NMI clock. --- */

#define EVENT_CLOCK_HERTZ_MAX 10000 /* interrupts per second that samples may need */

struct event_clock_timer {
    /*
     * Sets the rate to `times` times `hertz`; other CPUs change it at their next interrupt. Called
     * with all CPUs parked.
     */
    void (*set_times)(unsigned times);
    /* Lowers the multiple to at most `times`. Timer interrupt, possibly on several CPUs at once. */
    void (*lower_times)(unsigned times);
    unsigned hertz; /* interrupts per second and CPU */
};

/* Until this call there is no timer. Called once the search for an NMI clock has ended. */
void event_clock_set_timer(const struct event_clock_timer *with);

/*
 * One of these ends the search. `set_rate` sets the number of NMIs per second, 0 for none, with all
 * other CPUs parked. `slow_down` lowers the rate from the next NMI on; it is called in the NMI, on
 * the boot CPU. `why`: why there is no clock.
 */
void nmi_clock_start(void (*set_rate)(unsigned hertz), void (*slow_down)(unsigned hertz));
void nmi_clock_missing(const char *why);

/* Called for the clock's NMI that arrived at `began`, with what it interrupted. NMI context. */
void nmi_clock_interrupt(const struct regs *regs, uint64_t began);

/* --- gdb (docs/gdb.md). --- */

#define GDB_PIECE 16 /* bytes of text for gdb that are sent at a time */

struct gdb_line {
    int (*get)(void); /* waits for the next byte; -1: there will be none */
    void (*put)(const char *bytes, size_t length);
    bool (*ready)(void); /* true if GDB_PIECE bytes can be put without waiting */
};

/*
 * A port that gdb can use. No other code reads it while it is open. All functions are called with
 * the other CPUs parked, or in a stop; `poll` also in NMIs of the boot CPU.
 */
struct gdb_door {
    const char *name;
    struct gdb_line line;    /* access that polls the port */
    int (*poll)(void);       /* the next byte received; -1: none */
    void (*listen)(bool on); /* on: received bytes interrupt the boot CPU */
    /* Called when gdb takes the port. Returns NULL, or why ^C cannot interrupt all code. */
    const char *(*open)(void);
    void (*close)(void);
    bool lends_console; /* print() goes to gdb while the port is open */
};

/* Sets gdb's own port and the console's; each may be NULL. */
void gdb_init(const struct gdb_door *own, const struct gdb_door *lent);

/*
 * Called when a byte has arrived at gdb's own port. Returns true if gdb is now attached; it then
 * reads the following bytes. In interrupts.
 */
bool gdb_arrived(uint8_t byte, struct regs *regs);

/* Tells gdb that the machine is about to be switched off. Task context, or a stop. */
void gdb_exited(void);
