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
 *   - A return pops the innermost frame if code continues at the return address of that call.
 *     Otherwise it was a jump (push; ret), and the frame stays. A store at the innermost place
 *     itself, just before the return, makes it a jump that ends the call (a retpoline).
 *   - A stack is a range of places. Only an instruction that loads rsp, an interrupt and its return
 *     leave a stack; arithmetic on rsp does not. So after such an instruction the next place
 *     determines the stack: the place is within the stack's range, or just below its innermost
 *     frame. If no stack matches, it is a new stack, a thread. Without such an instruction a place
 *     belongs to the current stack. If it is too far away for the callee of the innermost call, an
 *     interrupt has come that was mistaken for the target of an indirect call or jump.
 *   - Two stacks whose ranges meet are one piece of memory: the frames of the other one are
 *     dropped, and the thread number of this one stays.
 *   - An interrupt makes no call. It is a block that the previous block cannot lead to (entry.h).
 *     Its frame holds the interrupted stack, and lies at the handler's first place; if the handler
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
 * last call at this place, in the same context; a return that ends the innermost call. False:
 * another case, and nothing has changed that matters. They change only the CPU's current stack,
 * which no other CPU is on, so the CPU's own lock is enough. Not by entry.
 */
bool follow_calls_again(unsigned cpu, uint64_t place, uint64_t next);
bool follow_returns_to(unsigned cpu, uint64_t ip);

/* Return address of the innermost call; 0 if not known. */
uint64_t follow_next(unsigned cpu);

/*
 * A store at `place` other than a call's: if it is the innermost call's place, its return continues
 * elsewhere. Changes only the CPU's current stack.
 */
void follow_replace(unsigned cpu, uint64_t place);

/* An instruction has loaded rsp. */
void follow_load(unsigned cpu);

/* After follow_load: rsp is at or near this place. */
void follow_place(unsigned cpu, uint64_t place);

/* An interrupt has come; `site` is the last instruction before it. */
void follow_interrupt(unsigned cpu, uint64_t site);

/* The site of the interrupt that the CPU is handling; 0 if not known. */
uint64_t follow_interrupt_site(unsigned cpu);

/* `iret` has run. */
void follow_interrupt_return(unsigned cpu);

/* A program has made a system call, or the kernel has returned to it. */
void follow_border(unsigned cpu);

/*
 * From the beginning: contexts are paths of functions, not of call sites. Each site is the first
 * instruction of a callee, added once it has begun, or a handler (WIRE_BY_ENTRY,
 * WIRE_BY_INTERRUPT).
 */
void follow_by_entry(void);

/*
 * A block begins at `ip`; the call or interrupt before it was reported. True: it is the first of a
 * callee or handler. Needed only where entries matter.
 */
bool follow_begin(unsigned cpu, uint64_t ip);

/* The CPU's current calling context and thread number; 0 if not known. */
uint32_t follow_context(unsigned cpu);
uint32_t follow_thread(unsigned cpu);

/* The first call site on that thread's stack. */
uint64_t follow_outermost(uint32_t thread);
