/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Follows calls, returns, interrupts and stack switches on each CPU, so that the call chain of any
 * instruction is known without frame pointers or tables. Pure: the plugin reports what has happened
 * (facts.h says how it knows), tests report sequences of their own.
 *
 * The rules, each with the fact that it rests on:
 *
 *   - A call is identified by the address at which it stores its return address: the *place*. A
 *     frame is a place and a calling context. A call at a place ends all frames at or below it:
 *     those calls have returned unseen, or were jumped over. A call to its own return address is
 *     no call: code learns its own address that way.
 *   - A return reads its return address from a place: the frame there ends, and all below it,
 *     wherever code continues. If there is no frame, the return was a jump: frames above stay.
 *   - An instruction that loads rsp may leave a stack; it is reported with rsp before and after.
 *     In this order, rsp is on: a suspended stack that was left with exactly this rsp; the current
 *     stack, if rsp went up within it; a stack that has it between its innermost frame and its
 *     upper end; a new stack, which is a thread. A stack qualifies only if its innermost return
 *     address is still in memory: otherwise it belongs to another address space, or is dead.
 *     If rsp is among the frames of a suspended stack, but not where one of its functions called,
 *     was interrupted or returns, a new thread may run in a dead one's memory: the chain ends
 *     there. If any of its return addresses is gone, it is dead, as nothing else writes there.
 *   - Frames of a suspended stack over which the current stack grows are overwritten: it is dead.
 *   - An interrupt is reported by QEMU, with the place of the CPU's own frame. If that is not just
 *     below the interrupted rsp, the CPU has changed stacks; the frame names the stack below it.
 *     `iret` ends the frame at its place, and continues on the stack below, if its rsp is that with
 *     which that was left, else as after a load.
 *     A handler on a stack of its own that loads rsp with a place just below the interrupted rsp
 *     continues on the interrupted stack: the frame moves there.
 *   - `syscall` changes no stack. Its frame moves to the kernel's stack if the kernel loads rsp
 *     before it calls a function, and to a second one if it loads it again. An interrupt's frame
 *     moves so, too, if a copy of the CPU's frame lies above the new rsp; otherwise a thread
 *     begins.
 *   - After a load of cr3 the same rsp may be on other memory: then too the stack must hold its
 *     innermost return address.
 *
 * QEMU before 9.2 reports no values of rsp. There the accesses around a load tell it
 * (facts_places.c); what stays likely rather than known is counted, and its chains end with
 * CONTEXT_UNKNOWN.
 *
 * A CPU changes its own state and its current stack alone. Functions that say so need the plugin's
 * lock, because they change tables that all CPUs share.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define FOLLOW_CPUS 256

/* False: no memory. */
bool follow_init(void);

/*
 * A call instruction has stored its return address, `next`, at `place`. `entry`: its target; 0: not
 * known. Needs the lock.
 */
void follow_call(unsigned cpu, uint64_t place, uint64_t site, uint64_t next, uint64_t entry);

/*
 * For most calls: one that this CPU has seen before, in the same context. Otherwise returns false,
 * and has changed nothing that matters. Needs no lock. Then the same for a return that ends the
 * innermost call.
 */
bool follow_calls(unsigned cpu, uint64_t place, uint64_t site, uint64_t next, uint64_t entry);
bool follow_returns(unsigned cpu, uint64_t place);

/*
 * QEMU before 9.2: rsp is about here, on this physical page (0: not known), as an access has shown,
 * which reads from the stack, or writes. Needs the lock.
 */
void follow_place(unsigned cpu, uint64_t rsp, uint64_t physical, bool reads);

/*
 * A function's first instruction runs, at `ip`. True if a call or jump has led there, false if the
 * same call has reached it before: by a loop, a restart after a fault, or `rep`. Needs the lock.
 */
bool follow_enters(unsigned cpu, uint64_t ip);

/* What a return has ended. */
struct follow_returned {
    uint64_t entry, ran; /* the callee's first instruction; its stack's instructions since then */
    uint32_t context;
    uint64_t allocation; /* as given to follow_allocates; 0: no allocator's */
};

/*
 * The innermost call, which has stored its return address at `place`, has led to an allocator,
 * whose first instruction is `entry`; `allocation`: a number, or 0. False: there is no such call,
 * or it was told a number before. Needs the lock.
 */
bool follow_allocates(unsigned cpu, uint64_t place, uint64_t entry, uint64_t allocation);

/* True if an allocator has called what runs on this CPU, or runs itself; not if interrupted. */
bool follow_is_inside(unsigned cpu);

/*
 * The number that was given to follow_allocates for the innermost call of an allocator on this
 * stack, or with `outer` for one further out; 0: there is none.
 */
uint64_t follow_allocation(unsigned cpu, unsigned outer);

/*
 * A return has read its return address from `place`. False: no call on the known stack stored it.
 * Needs the lock.
 */
bool follow_return(unsigned cpu, uint64_t place, struct follow_returned *returned);

/* True if the current stack is still to be decided: the lock is needed for what comes next. */
bool follow_is_open(unsigned cpu);

/* rsp was loaded; its values before and after. Needs the lock. */
void follow_load(unsigned cpu, uint64_t from, uint64_t to);

/*
 * True if a load that sets rsp to `to` obviously stays on the current stack: the epilogue of the
 * innermost call. Needs no lock.
 */
bool follow_is_epilogue(unsigned cpu, uint64_t to);

/*
 * rsp was loaded with a value that is not known: the next place decides. `computed`: from other
 * registers, as for an array of variable length.
 */
void follow_load_unknown(unsigned cpu, uint64_t from, bool computed);

/* An interrupt, exception or `int`. */
struct follow_interrupt {
    uint64_t site;  /* the instruction at which, or just before which, it came; `int` itself */
    uint64_t entry; /* of its handler; 0: not known */
    uint64_t from;  /* rsp before */
    uint64_t place; /* of the CPU's frame, without an error code; 0: not known */
    bool switched;  /* the CPU has changed stacks */
    bool user;      /* a program was interrupted */
    uint64_t space; /* ... in this address space */
    bool device;    /* a device's, in the kernel: code that interrupts are on for */
};

/* Needs the lock. */
void follow_interrupt(unsigned cpu, const struct follow_interrupt *interrupt);

/* How many handlers of devices' interrupts run on the CPU's stack. */
unsigned follow_handlers(unsigned cpu);

/* `iret` has read its frame at `place`, and sets rsp to `to`. Needs the lock. */
void follow_interrupt_return(unsigned cpu, uint64_t place, uint64_t to, bool user);

/*
 * The same with an unknown rsp: where the interrupt came, unless the next place differs. Returns
 * that rsp.
 */
uint64_t follow_interrupt_return_near(unsigned cpu, uint64_t place);

/*
 * `syscall` or `sysenter` at `site` enters the kernel, with this rsp. Returns what stands for rsp
 * if the program's stack is not known. Needs the lock.
 */
uint64_t follow_syscall(unsigned cpu, uint64_t site, uint64_t rsp);

/*
 * `sysret` leaves the kernel: ends the system call, if that has changed no stack, or tells where an
 * unknown load of rsp probably leads. Needs the lock.
 */
void follow_sysret(unsigned cpu);

/* The CPU's cr3 is changed to `space`, with this rsp. Needs the lock. */
void follow_space(unsigned cpu, uint64_t space, uint64_t rsp);

/* True if rsp may be on the CPU's current stack. */
bool follow_is_on(unsigned cpu, uint64_t rsp);

/* Frames below this rsp are gone. */
void follow_sp(unsigned cpu, uint64_t rsp);

/* The machine was reset: the CPU's stack is not known. */
void follow_reset(unsigned cpu);

/*
 * The CPU has executed `time` instructions; those since the last call of this function are added to
 * its stack. For struct follow_returned, call it before each stack switch and return.
 */
void follow_time(unsigned cpu, uint64_t time);

/*
 * Must be called at the beginning: makes contexts paths of functions instead of call sites. Each
 * site is then the first instruction of a callee or handler (WIRE_BY_ENTRY, WIRE_BY_INTERRUPT).
 */
void follow_by_entry(void);

/*
 * A block begins at `ip`. Called if the call or interrupt before it was reported without its
 * target. Returns true if the block is the first of a callee or handler. Needs the lock.
 */
bool follow_begin(unsigned cpu, uint64_t ip);

/* Return the CPU's current calling context and its thread; 0 if not known. */
uint32_t follow_context(unsigned cpu);
uint32_t follow_thread(unsigned cpu);

/* The CPU's address space (cr3); 0 if not known. */
uint64_t follow_space_of(unsigned cpu);

/* What is known of a thread. */
struct follow_thread {
    uint32_t space; /* number of its program's address space, from 1; 0: it runs none */
    bool told;      /* for the use of tell.c */
};

/* NULL: no memory. Valid until the next call of a function of this file. */
struct follow_thread *follow_thread_info(uint32_t thread);

/* Stack switches, and those whose stack is only likely. */
struct follow_doubts {
    uint64_t switches, doubtful;
};

struct follow_doubts follow_doubts(void);
