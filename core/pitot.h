/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface between Pitot and the kernel that contains it, in plain C types, for C and C++:
 * every function that the kernel calls, here; what it gives (pitot_kernel.h); its tracepoints
 * (pitot_trace.h). Linked with build/lib/pitot.o (`make lib`); docs/porting.md explains the
 * interface level by level.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Beside this header. */
#include "pitot_kernel.h"
#include "pitot_trace.h"

/* --- Functions the kernel calls. --- */

/*
 * A tracepoint that records and pitot_tick take up to so many bytes of the stack there. Where
 * `stack` shows that fewer are left, pitot_tick does nothing, and pitot_incomplete reports how many
 * ticks that were; tracepoints do not ask.
 */
#define PITOT_SAMPLE_STACK 2048

/*
 * Returns 0, or the reason for failure; then, and only then, it may be called again. Before it has
 * succeeded, tracepoints, pitot_thread_runs, pitot_tick and pitot_debug_trap do nothing,
 * pitot_thread_named and pitot_thread_ended work, and the others are not called.
 */
const char *pitot_init(const struct pitot_kernel *kernel);

/*
 * Starts recording events. `options` are spelt as for `perf record`:
 *
 *     -e EVENT    SYSTEM:NAME, mem:[/PROGRAM:]ADDR[/LEN][:w|:rw|:x], cpu-clock or branches:u; may
 *                 be repeated
 *     -c N        samples every Nth hit (default 1); for cpu-clock, N is in ns (default 1000000)
 *     -p N        for a breakpoint in a program: in the process N; for others: in the thread N,
 *                 which need not exist yet
 *     -g          records call chains
 *
 * Returns 0, or the reason for failure; then nothing is recorded. Task context. Refused where
 * `stack` shows that fewer than PITOT_START_STACK bytes of the stack are left, which
 * pitot_stop takes, too.
 */
#define PITOT_START_STACK 3072
const char *pitot_start(const char *options);

/* Stops recording and writes the recording. Returns the number of records kept. Task context. */
unsigned long long pitot_stop(void);

/*
 * Returns what the last recording lacks, in words, such as records that the ring had no room for;
 * 0 if nothing is known to be missing. Task context.
 */
const char *pitot_incomplete(void);

/*
 * Returns the last recording in lines: "20 records", "0 doubtful hits", and where it lacks
 * something, "incomplete: " and what pitot_incomplete returns. Task context.
 */
const char *pitot_summary(void);

/*
 * For who ports: returns in words what is wrong or has not been tried since pitot_init, or 0:
 * functions of struct pitot_kernel that were given and not called, CPUs that do not stand,
 * pitot_tick, and a chain across the timer's entry to what it interrupted. Task context, after a
 * recording that uses what is to be tried.
 */
const char *pitot_check(void);

/*
 * Returns the hits in the last recording that may or may not belong to an event, because several
 * are watched and the instruction is unknown (docs/porting.md). They are not recorded. With tables
 * there are few. Task context.
 */
unsigned long long pitot_doubtful(void);

/*
 * Reports that this CPU now runs thread `pid`, from 0. Called where threads are switched; until a
 * CPU's first switch after pitot_init it runs thread 0.
 */
void pitot_thread_runs(unsigned pid);

/*
 * Names thread `pid`, up to 15 characters: when it is created, before its first sample, and when it
 * is renamed. Returns 0, or why perf cannot know it. Task context, one caller at a time: where
 * threads are created on several CPUs at once, under the lock of their list.
 */
const char *pitot_thread_named(unsigned pid, const char *name);

/*
 * Thread `pid` has ended: its name gives way when another needs the room of 64. Task context, one
 * caller at a time, as for pitot_thread_named.
 */
void pitot_thread_ended(unsigned pid);

/* --- Functions the kernel's trap entries call, with the frame that `frame` describes. --- */

/*
 * For a kernel with the member `follow`: whether the thread that `cpu` runs from `now` on, by
 * `clock`, is followed. Called on that CPU with interrupts off, or while it is parked.
 */
void pitot_follow(unsigned cpu, int followed, unsigned long now);

/*
 * For a kernel with programs: another thread, or another program's memory, is on this CPU, which
 * `process` already returns, so that breakpoints in programs are armed or not. Interrupts off.
 */
void pitot_program_runs(void);

/*
 * For branches:u, with thread_step: called before each return to a program by `iretq`, with the
 * frame that is then loaded, all of it; Pitot may set its trap flag. `sysret` needs no call where
 * it returns to its `syscall`, since r11 keeps the flag. Does nothing if the frame is of the
 * kernel. Interrupts off, with the kernel's GS.
 */
void pitot_program_returns(void *frame);

/*
 * For program_load: a program's section .symtab_blob (tools/symtab) is often larger than the table
 * in it. Returns the bytes of the table that begins so, 0 if none does.
 */
#define PITOT_SYMBOLS_HEAD 64 /* bytes at `head`, a multiple of 8 bytes */
unsigned long pitot_symbols_size(const void *head);

/*
 * Opens the table in a program's section .symtab_blob (tools/symtab), of which `symbols` keeps the
 * address. Returns 0, or why it is no table of the file with this build id; then there are none.
 */
const char *pitot_symbols_open(struct pitot_symbols *symbols, const void *table, unsigned long size,
                               const unsigned char *build_id);

/*
 * For find_path of PITOT_CALLS: finds the text of the call's first PATH argument. `read` copies the
 * string at an address of the program's memory, without its NUL, as far as it can be read and
 * `room` reaches, and returns its length. Interrupts off.
 */
void pitot_call_path(unsigned long *argument,
                     unsigned long (*read)(unsigned long address, char *to, unsigned long room));

/*
 * Returns how often that CPU's debug registers were found disarmed since the boot: then hits were
 * missed. Any context.
 */
unsigned long pitot_lapses(unsigned cpu);

/*
 * From now on, `serve` is called so often on each CPU, with what it interrupts and the time, also
 * where interrupts are off. Returns 0, or why this machine has no such clock. `serve`: NMI; task
 * context, once.
 */
const char *pitot_nmi_clock(void (*serve)(const void *frame, unsigned long now), unsigned hertz);

/*
 * What a tracepoint's record says of preemption: how often it is off, and whether a switch is
 * pending. Written by the kernel, if it knows, on that CPU or where the switch is decided.
 */
struct pitot_preemption {
    /*
     * At most 255, as a record has 8 bits of it: 256 would look like 0. No atomics: an interrupt
     * restores the value, and every switch occurs at the same value.
     */
    unsigned off;
    unsigned wanted; /* 0: no */
};

extern struct pitot_preemption pitot_preemption[]; /* of each CPU */

/*
 * Called in the interrupt of interrupt_others, interrupts off: waits while Pitot changes
 * breakpoints, and loads them, or while gdb has stopped the kernel. With gdb the interrupt must
 * return with all of the frame. Without `frame` of struct pitot_kernel, the argument may be 0.
 */
void pitot_stand(void *frame);

/*
 * Called from the timer interrupt, on each CPU: samples for cpu-clock, which misses code with
 * interrupts off, adjusts the periods of events with a frequency, and checks the debug registers.
 */
void pitot_tick(const void *frame);

/*
 * Called from the kernel's own #DB gate, on gate_stack, interrupts off, with the kernel's GS.
 * Returns 1 for a breakpoint of Pitot; the gate then returns by `iretq` with the frame's flags or,
 * with gdb or branches:u, with all of its registers. Returns 0 if the kernel must handle the trap,
 * of which DR6 shows the cause; the frame's flags may have changed by RF and, with branches:u, TF.
 */
int pitot_debug_trap(void *frame);

/* --- gdb (GDB=1). --- */

/* From now on gdb may connect. Returns 0, or the reason for failure. Task context. */
const char *pitot_gdb_start(void);

/* Waits until gdb continues the kernel. Returns 0, or the reason for failure. Task context. */
const char *pitot_gdb_wait(void);

/*
 * Called from the timer interrupt: a connecting gdb, or its ^C, stops the kernel there. Only CPU 0
 * reads the line; on others it does nothing. Returns 1 if gdb stopped the kernel; the interrupt
 * must then return with all of the frame. Interrupts off.
 */
int pitot_gdb_poll(void *frame);

/* Called in a fatal trap: lets a connected gdb inspect the kernel first. Any context. */
void pitot_gdb_stop(void *frame);

/* --- Console commands (LEVEL=4). --- */

/*
 * Runs a command line, such as "perf record -e mem:jobs_done:w -g -- work". Returns 0, or a
 * negative errno after printing the reason. Task context, one caller at a time. Refused where fewer
 * than PITOT_COMMAND_STACK bytes are left between *low of `stack` and the stack pointer;
 * the workload's own functions and interrupts come on top. Refused, too, on a stack that
 * `stack` does not know.
 */
#define PITOT_COMMAND_STACK 6144
int pitot_command(const char *line);

/*
 * A command that the kernel adds: `perf record -- NAME` runs and records it, "help" lists it:
 *
 *     PITOT_COMMAND(work, "[JOBS]", "makes jobs and finishes them", work_run);
 *
 * `run` receives the words of the line as arguments; the first is the name. With "" for the usage
 * it takes none. PITOT_COMMAND_AS is for a name that C does not take, and for `help`;
 * PITOT_COMMAND_WITH also for `words`.
 */
struct pitot_command {
    const char *name, *usage, *summary;
    int (*run)(int argc, char **argv); /* 0, or a negative errno after printing why */
    int (*help)(const char *part);     /* prints help on that part, or lists them for 0; or is 0 */
    /*
     * For TAB: reports by pitot_word what the last argument may be, of which argv[argc - 1] is what
     * has been typed; or is 0. With `help`, the first argument is a part.
     */
    void (*words)(int argc, char **argv);
};

#define PITOT_COMMAND_AS(identifier, name, usage, summary, run, help)                              \
    PITOT_COMMAND_WITH(identifier, name, usage, summary, run, help, 0)

#define PITOT_COMMAND_WITH(identifier, name, usage, summary, run, help, words)                     \
    static const struct pitot_command pitot_command_##identifier = {name, usage, summary,          \
                                                                    run,  help,  words};           \
    __attribute__((                                                                                \
        section("pitot_commands"),                                                                 \
        used)) static const struct pitot_command *const pitot_command_entry_##identifier =         \
        &pitot_command_##identifier

#define PITOT_COMMAND(name, usage, summary, run)                                                   \
    PITOT_COMMAND_AS(name, #name, usage, summary, run, 0)

/* Prints, for a command: after ^C only the rest of the line. Task context. */
void pitot_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Called often by long commands; once a second, updates a line: "fs-stress: 1200 of 5000". */
void pitot_progress(const char *what, unsigned long done, unsigned long total);

/*
 * For a kernel that splits its lines itself: runs a command, as pitot_command does, between a claim
 * of the right to run commands and its release. Only one thread has the right: the console's, or
 * that of gdb's `monitor`. Claims of one thread nest; threads are those of pitot_thread_runs, and
 * without it all are one. Returns 0, or who has the right: "gdb's monitor".
 */
int pitot_run_words(int argc, char **argv);
const char *pitot_commands_claim(void);
void pitot_commands_release(void);

/*
 * Returns the next command in the order of names: the first for 0, 0 after the last. Of commands
 * with equal names, returns only the one linked first.
 */
const struct pitot_command *pitot_next_command(const struct pitot_command *before);

/* --- TAB (LEVEL=4). Task context, one caller at a time. --- */

/*
 * Completes the last word of a line of `length` characters: a command, or what it takes. Returns
 * how many candidates there are: 0, 1, or 2 for several. Stores in `addition`, of `size` bytes,
 * what all of them add to the line: the rest of the only one, with a blank if another word may
 * follow. Takes less of the stack than pitot_command.
 */
unsigned long pitot_complete(const char *line, unsigned long length, char *addition,
                             unsigned long size);

/*
 * Returns the next candidate of the last pitot_complete, a whole word, in the order of strcmp: the
 * first for 0, 0 after the last. Valid until the next call of either.
 */
const char *pitot_next_candidate(const char *before);

/*
 * Called by words_tell and `words`: reports a candidate, in any order. Those that do not begin with
 * what has been typed, or have more than 1024 characters, are left out.
 */
void pitot_word(const char *word);

/* --- For a kernel's own reports (LEVEL=4). Any context, unless stated otherwise. --- */

/* Writes the symbol at `address` and the distance from it, "fs_write+0x1c"; returns `text`. */
const char *pitot_describe(unsigned long address, char *text, unsigned long size);

/* A call chain, taken while others stand, and printed when they run again. */
struct pitot_chain {
    unsigned long of[100];
};

/* Takes the chain of the registers in `frame`; prints it, and why it ends. */
void pitot_chain_take(struct pitot_chain *chain, const void *frame);
void pitot_chain_print(const struct pitot_chain *chain);

/* Prints what each debug register watches, and for whom. Task context. */
void pitot_watches_print(void);

/* Prints the last samples of the recording. All other CPUs stand, or the kernel is dead. */
void pitot_samples_print(void);

/*
 * Called first in a panic, all other CPUs halted: ends what is recorded, and a block of the stream.
 * Called last: writes the rest of the recording to the stream.
 */
void pitot_panic_begin(void);
void pitot_panic_end(void);

/* Stores why this boot ends, for perf report --last-boot; "": an unexpected reset. */
void pitot_boot_ends(const char *words);

/* --- Threads and programs, in a kernel with tasks_tell (LEVEL=4). Task context. --- */

/* Reports a thread that existed before the recording. Called by tasks_tell. */
void pitot_thread_lived(unsigned pid, const char *name);

struct pitot_mapping {
    unsigned long start, size, offset; /* [start, start + size) maps the file from `offset` on */
};

/*
 * Reports that the process mapped code of the program's file. Called before that code runs, or with
 * `lived` by tasks_tell.
 */
void pitot_program_mapped(unsigned pid, const struct pitot_program *program,
                          const struct pitot_mapping *mapping, int lived);

/* Reports that the process, started by `parent`, has run its last instruction of a program. */
void pitot_program_ended(unsigned pid, unsigned parent);

/* A predefined tracepoint (pitot_trace.h), pitot:mark. */
PITOT_TRACEPOINT_DECLARE(mark, 2);
#define PITOT_MARK(text, value) PITOT_TRACE(mark, text, value)

#ifdef __cplusplus
}
#endif
