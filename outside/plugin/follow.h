/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Follows calls, returns, interrupts and stack switches on each CPU, so that the call chain of any
 * instruction is known without frame pointers, tables or registers. Pure: the plugin reports the
 * events, tests report recorded sequences. One caller at a time.
 *
 * The rules, each with its reason:
 *
 *   - A call is identified by the address at which it stores its return address: the *place*. A
 *     frame is a place and a calling context. Places descend as calls nest, so a call at a place
 *     pops every frame at or below it: those calls have returned unseen, or were jumped over
 *     (longjmp).
 *   - A return ends the innermost call at whose return address code continues, and the calls inside
 *     it; calls outside an interrupt are not considered. If there is none, the return was a jump
 *     (push; ret), and the frames stay. A store at the innermost place itself, just before the
 *     return, makes the return a jump that ends the call (a retpoline).
 *   - A stack is a range of places. Only an instruction that loads rsp, a system call, an interrupt
 *     and the returns from them leave a stack; arithmetic on rsp does not. So after such an event
 *     the next place determines the stack: the place is within the stack's range, or just below its
 *     innermost frame. If no stack matches, it is a new stack, a thread. Without such an event a
 *     place belongs to the current stack. If the place is too far away for the callee of the
 *     innermost call, an interrupt has come that was mistaken for the target of an indirect call or
 *     jump.
 *   - Two stacks whose ranges meet are one piece of memory: the frames of the stack that did not
 *     grow are dropped, and the lower thread number stays.
 *   - An interrupt makes no call. It is a block that the previous block cannot lead to (entry.h).
 *     Its frame names the interrupted stack, and lies at the handler's first place; if the handler
 *     then loads rsp with a place on the interrupted stack, to run there, the frame moves with it.
 *   - The return from an interrupt continues on the interrupted stack, unless the next place lies
 *     elsewhere: the handler has switched to another thread's frame, or another interrupt came at
 *     once and was not seen.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define FOLLOW_CPUS 256

/* False: no memory. */
bool follow_init(void);

/* A call instruction has stored its return address at `place`. */
void follow_call(unsigned cpu, uint64_t place, uint64_t site, unsigned site_end);

/* A return has run, and code continues at `ip`. False: no call on the known stack returns there. */
bool follow_return(unsigned cpu, uint64_t ip);

/*
 * The call that the last return ended: the callee's first instruction, 0 if not known; its context;
 * and the instructions that its stack executed during the call.
 */
struct follow_returned {
    uint64_t entry, ran;
    uint32_t context;
};

const struct follow_returned *follow_returned(unsigned cpu);

/*
 * The CPU has executed `time` instructions; those since the last call of this function are added to
 * its stack. For follow_returned, call it before each stack switch and return.
 */
void follow_time(unsigned cpu, uint64_t time);

/*
 * Fast paths for most calls and returns: a call with the return address `next` that repeats the
 * last call at this place, in the same context; and a return that ends the innermost call. In any
 * other case they return false, and have changed nothing that matters. They change only the CPU's
 * current stack, which no other CPU is on, so the CPU's own lock is enough. Not for use after
 * follow_by_entry.
 */
bool follow_calls_again(unsigned cpu, uint64_t place, uint64_t next);
bool follow_returns_to(unsigned cpu, uint64_t ip);

/* Returns the return address of the innermost call; 0 if not known. */
uint64_t follow_next(unsigned cpu);

/*
 * Reports a store at `place` that is not a call's. If this is the place of the innermost call, that
 * call's return will continue elsewhere. Changes only the CPU's current stack.
 */
void follow_replace(unsigned cpu, uint64_t place);

/* An instruction has loaded rsp. */
void follow_load(unsigned cpu);

/* After follow_load: rsp is at or near this place. */
void follow_place(unsigned cpu, uint64_t place);

/* An interrupt has come; `site` is the instruction at which, or just after which, it came. */
void follow_interrupt(unsigned cpu, uint64_t site);

/* Returns the site of the interrupt that the CPU is handling; 0 if not known. */
uint64_t follow_interrupt_site(unsigned cpu);

/* `iret` has run. */
void follow_interrupt_return(unsigned cpu);

/* A program has made a system call, or the kernel has returned to it. */
void follow_border(unsigned cpu);

/*
 * Must be called at the beginning: makes contexts paths of functions instead of call sites. Each
 * site is then the first instruction of a callee or handler (WIRE_BY_ENTRY, WIRE_BY_INTERRUPT),
 * added once it has begun.
 */
void follow_by_entry(void);

/*
 * Reports that a block begins at `ip`, after the call or interrupt that led to it was reported.
 * Returns true if it is the first block of a callee or handler. Needed only if the entries of
 * functions are used.
 */
bool follow_begin(unsigned cpu, uint64_t ip);

/* Return the CPU's current calling context, and its thread number; 0 if not known. */
uint32_t follow_context(unsigned cpu);
uint32_t follow_thread(unsigned cpu);

/* Returns the first call site on that thread's stack. */
uint64_t follow_outermost(uint32_t thread);
