/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files of this directory: Pitot as a library for another kernel (core/pitot.h). */
#pragma once

#include <stddef.h>

#include "core/contract/init.h"
#include "core/lib/refusal.h"
#include "core/sample/records.h"
#include "core/stream/stream.h"
#include "core/unwind/unwind.h"

struct event_spec;

#define EMBED_NO_STACK  "stack of struct pitot_kernel is 0: where stacks lie"
#define EMBED_NO_FRAME  "frame of struct pitot_kernel is 0: what trap entries push"
#define EMBED_NO_MAPPED "mapped of struct pitot_kernel is 0: what memory is there"

/* True if symbols and chains by table are available. Set at boot. */
extern bool embed_tables;

/*
 * Completes the kernel's tracepoints, at boot. Returns -EINVAL if its linker script drops them, or
 * if one has too many fields.
 */
int embed_tracepoints_init(struct refusal *why);

/* Notes from now on which functions of struct pitot_kernel are called. Called once, at boot. */
void embed_check_begin(void);

/*
 * Checks what the timer's interrupt gives, with its registers in Pitot's form. Returns false if a
 * later interrupt may show more. In the timer interrupt.
 */
bool embed_traps_check(const void *frame, const struct regs *interrupted);

/*
 * True if in the next tenth of a second a chain crosses the timer's entry, to what it interrupted;
 * by embed_chain_try, in its interrupt. Task context.
 */
bool embed_chain_crosses(void);
void embed_chain_try(const struct regs *interrupted, enum unwind_method method);

/*
 * Return what is wrong with `frame`, and with that or `traps`; NULL if nothing is known to be. Any
 * context.
 */
const char *embed_frame_wrong(void);
const char *embed_traps_wrong(void);

/*
 * Calls of pitot_tick, but for those of two CPUs at once, and how many of them did nothing else, as
 * they would have overwritten what lies below the stack.
 */
extern uint32_t embed_ticks, embed_cramped;

#define EMBED_CRAMPED "%u ticks did nothing: fewer than %d bytes of the stack were left"

/*
 * Called by pitot_tick, after the samples by time; NULL if nothing waits for the time. Set in task
 * context.
 */
extern void (*embed_tick)(void);

/* `branches:u`. */
extern const struct event_source embed_branches_source;

/* `branches:u` has begun to count, and pitot_program_returns was not called since. */
extern bool embed_unreturned;

#define EMBED_NOT_RETURNED "no branches: pitot_program_returns was not called"

/* Refuses what cannot be combined with it in pitot_start. Task context. */
int embed_branches_check(const struct event_spec *events, size_t count, bool chains,
                         struct refusal *why);

/* Returns the named threads, for the stream. Task context. */
const struct recorded_task *embed_threads(size_t *count);

/* Returns the name of that thread, or NULL. Any context. */
const char *embed_thread_name(uint32_t pid);

/* task_name of struct pitot_kernel, for a kernel that has none. */
const char *embed_task_name(unsigned cpu);

/* Called with each new name; NULL if no recording needs names. Set in task context. */
extern void (*embed_named)(uint32_t pid, const char *name);

/* Provides what console commands need and the kernel has not given. At boot; level 3 has none. */
void embed_console_give(void);

/* The words for a caller with fewer bytes of stack left; made without taking more of it. */
#define EMBED_STACK_SHORT(function, bytes) EMBED_STACK_WORDS(function, bytes)
#define EMBED_STACK_WORDS(function, bytes)                                                         \
    "fewer than " #bytes " bytes of the stack are left: call " #function " on a larger one"

enum embed_stack { EMBED_STACK_ENOUGH, EMBED_STACK_LESS, EMBED_STACK_UNKNOWN };

/* Says whether so many bytes of the caller's stack are left, if the kernel reports it. */
enum embed_stack embed_stack_check(unsigned long bytes);

/*
 * The one stream of all recordings. embed_stream_open is called once; its arguments must stay
 * valid. Task context.
 */
struct stream *embed_stream_open(struct sink *sink, const struct stream_kernel *kernel);
struct stream *embed_stream(void);
