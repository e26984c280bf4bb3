/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Follows calls, returns, interrupts and changes of the stack on each CPU, so that the chain of any
 * instruction is known without frame pointers, tables or registers. Pure: the plugin tells what
 * happens, tests tell recorded sequences. One caller at a time.
 *
 * The rules, each with its reason:
 *
 *   - A call is known by where it stores its return address: the *place*. A frame is a place and a
 *     calling context. Places go down as calls nest, so a call at a place pops every frame at or
 *     below it: they have returned unseen, or were jumped over (longjmp).
 *   - A return pops the innermost frame, if the code continues where that call ends. If not, it was
 *     a jump (push; ret), and the frame stays. A store at the innermost place itself, just before
 *     the return, makes it a jump that ends the call (a retpoline).
 *   - A stack is a range of places. Only an instruction that loads rsp, an interrupt and its return
 *     leave a stack; arithmetic on rsp does not. So after such an instruction the next place tells
 *     the stack: one has its lowest and highest place around it, or its innermost frame just above
 *     it. If none has, it is a new stack, a thread. Without such an instruction a place belongs to
 *     the stack at hand; if it lies too far from that for what the innermost call leads to, an
 *     interrupt has come that passed for what an indirect call or jump leads to.
 *   - Two stacks whose ranges meet are one piece of memory: the older one's frames are gone, and
 *     the number of the thread stays.
 *   - An interrupt leaves no call. It is a block that the last one cannot lead to (entry.h). Its
 *     frame holds the interrupted stack, and lies where the handler's first place is; if the
 *     handler then loads rsp with a place on the interrupted stack, to run there, the frame moves
 *     with it.
 *   - The return from an interrupt goes back to the interrupted stack, unless the next place lies
 *     elsewhere: the handler has set another thread's frame, or an interrupt has come at once that
 *     was not seen.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define FOLLOW_CPUS 256

/* False: no memory. */
bool follow_init(void);

/* A call instruction has stored its return address at `place`. */
void follow_call(unsigned cpu, uint64_t place, uint64_t site, unsigned site_end);

/*
 * A return instruction has run, and code continues at `ip`. False: the stack is known, and it
 * belongs to no call there.
 */
bool follow_return(unsigned cpu, uint64_t ip);

/*
 * The call that the last return has ended: the first instruction of what was called, 0 if not
 * known; its context; and the instructions that its stack executed meanwhile.
 */
struct follow_returned {
    uint64_t entry, ran;
    uint32_t context;
};

const struct follow_returned *follow_returned(unsigned cpu);

/*
 * The CPU has executed `time` instructions: those since it was last told are its stack's. Needed
 * before whatever changes the stack or ends a call, where follow_returned is asked.
 */
void follow_time(unsigned cpu, uint64_t time);

/*
 * The same for most calls and returns: a call from where `next` follows that was made at that place
 * of this stack before, in the same context; a return that is the end of the innermost call. False:
 * it is not that, and nothing has changed that matters. These change nothing but the stack that the
 * CPU is on, where no other CPU is, so the CPU's own lock is enough. Not by entry.
 */
bool follow_calls_again(unsigned cpu, uint64_t place, uint64_t next);
bool follow_returns_to(unsigned cpu, uint64_t ip);

/* Where a return continues that is the end of the innermost call; 0 if not known. */
uint64_t follow_next(unsigned cpu);

/*
 * A store at that place, other than a call's. If it is the innermost call's, that one's return goes
 * elsewhere. Changes nothing but the stack that the CPU is on.
 */
void follow_replace(unsigned cpu, uint64_t place);

/* An instruction has loaded rsp. */
void follow_load(unsigned cpu);

/* After that: rsp is, or is near, this place. */
void follow_place(unsigned cpu, uint64_t place);

/* An interrupt has come; `site` is the last instruction before it. */
void follow_interrupt(unsigned cpu, uint64_t site);

/* Where the interrupt came that the CPU handles; 0 if not known. */
uint64_t follow_interrupt_site(unsigned cpu);

/* `iret` has run. */
void follow_interrupt_return(unsigned cpu);

/* A program has called the kernel, or the kernel has returned to it. */
void follow_border(unsigned cpu);

/*
 * From the beginning on, contexts are paths of functions and not of call sites: the site of each is
 * the first instruction of what was called, or of the handler (WIRE_BY_ENTRY, WIRE_BY_INTERRUPT).
 * They lack what was called until that has begun.
 */
void follow_by_entry(void);

/*
 * A block begins at `ip`, and what led to it has been told. True: it is the first of what was
 * called, or of a handler. Only needed where that is asked.
 */
bool follow_begin(unsigned cpu, uint64_t ip);

/* Where the CPU is: the calling context, and the thread's number; 0 if not known. */
uint32_t follow_context(unsigned cpu);
uint32_t follow_thread(unsigned cpu);

/* The first call site on that thread's stack. */
uint64_t follow_outermost(uint32_t thread);
