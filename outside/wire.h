/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the plugin, in QEMU's process, answers to the request of `pitot` (outside/request.h, which
 * tells how to extend it): records through a pipe, in the host's byte order, each a multiple of 8
 * bytes. The plugin knows only addresses; the command reads the ELF file. If the pipe ends without
 * WIRE_END, QEMU was killed; the records until then are complete.
 */
#pragma once

#include <stdint.h>

/* Of the records and of the request. */
#define WIRE_VERSION 14

/* The plugin's file contains the mark, then the version in decimal. */
#define WIRE_MARK "pitot wire "

enum wire_kind {
    WIRE_BEGIN = 1, /* struct wire_begin: the first record */
    WIRE_CONTEXT,   /* struct wire_context: before the first record that names it */
    WIRE_THREAD,    /* struct wire_thread: before the first record that names it */
    WIRE_SAMPLE,    /* struct wire_sample */
    WIRE_COUNT,     /* struct wire_count: one per event, at the end */
    WIRE_END,       /* struct wire_end: the last record */
    WIRE_REGISTERS, /* struct wire_registers: before its sample, if requested */

    WIRE_COST = 10,  /* struct wire_cost: one per context, at the end */
    WIRE_WHERE,      /* struct wire_where: one per CPU that ran, at the end */
    WIRE_LAST,       /* struct wire_last: after its CPU's WIRE_WHERE, oldest first */
    WIRE_WORD = 20,  /* struct wire_word: at the end, newest first per word */
    WIRE_CLOCK,      /* struct wire_number: instructions of a CPU that ran, at the end */
    WIRE_LOST,       /* struct wire_number: words or blocks without room, after all of them */
    WIRE_BLOCK,      /* struct wire_block: for each block that ran, at the end */
    WIRE_MAPPING,    /* struct wire_mapping: before the words */
    WIRE_HELD,       /* struct wire_held: after the words of places */
    WIRE_UNREAD,     /* struct wire_number: parts of places that could not be read, after them */
    WIRE_SLIDE = 30, /* struct wire_number: run-time less link address; if not 0, perhaps twice */
    WIRE_STRANGE,    /* struct wire_strange: the last record that matters */
    WIRE_PATCHED,    /* struct wire_number: instructions that ran unlike the file; near the end */
    WIRE_LATE,       /* struct wire_number: the kernel's blocks before WIRE_SLIDE; after that */
    WIRE_UNKNOWN,    /* struct wire_number: where code runs in the upper half, and none of the file
                      * has; once until a reset, flushed */
    WIRE_ONE_THREAD, /* struct wire_number: a CPU that shares the host's thread with another one, in
                      * a QEMU that does not distinguish them for plugins; flushed */
    WIRE_HEAP = 40,  /* struct wire_heap: when it is first seen, flushed; again at the end */
    WIRE_LIVE,       /* struct wire_live: one for each context that has allocated, at the end */
    WIRE_OBJECTS,    /* struct wire_objects: at the end */
    WIRE_LOCK = 60,  /* struct wire_lock: one for each lock, at the end */
    WIRE_LOCK_ORDER, /* struct wire_lock_order: after the locks */
    WIRE_LOCK_WAIT,  /* struct wire_lock_wait: after the locks */
    WIRE_MASKED,     /* struct wire_masked: at the end */
    WIRE_LOCKS,      /* struct wire_locks: at the end */
    WIRE_RACE = 70,  /* struct wire_race: at the end */
    WIRE_STOPS,      /* struct wire_stops: at the end */
    WIRE_SLICE = 80, /* struct wire_slice: when it has ended */
    WIRE_RUN,        /* struct wire_run: when it has ended */
    WIRE_TRACED,     /* struct wire_traced: at the end */
    WIRE_LOCK_SLICE, /* struct wire_lock_slice: when it has ended */
    WIRE_WAKE,       /* struct wire_wake */
    WIRE_WOKEN,      /* struct wire_woken: after its WIRE_WAKE */
};

struct wire_head {
    uint16_t size; /* of the whole record */
    uint8_t kind;
    uint8_t unused;
    uint32_t cpu;
};

struct wire_begin {
    struct wire_head head;
    uint32_t version, cpus; /* WIRE_VERSION; the most CPUs the machine may have */
};

/* A path of call sites: that of the context `outer`, then `site`. Context 0: an unknown caller. */
struct wire_context {
    struct wire_head head;
    uint32_t context, outer;
    uint64_t site;     /* the call instruction, or the one at or after which an interrupt came;
                        * in a path of functions, the first instruction of the handler */
    uint32_t by;       /* enum wire_by */
    uint32_t site_end; /* bytes of the call instruction: it returns to site + site_end */
};

enum wire_by {
    WIRE_BY_CALL,
    WIRE_BY_INTERRUPT,
    WIRE_BY_ENTRY, /* in a path of functions: `site` is the callee's first instruction */
    WIRE_BY_SYSCALL,
    WIRE_BY_UNKNOWN,   /* no site: the callers are not known */
    WIRE_BY_ALLOCATOR, /* the plugin's own, not sent */
};

/* A stack, with the kernel's stacks that it enters. Number 0: a stack that is not known yet. */
struct wire_thread {
    struct wire_head head;
    uint32_t thread;
    uint32_t space;     /* number of its program's address space, from 1; 0: the kernel's */
    uint64_t outermost; /* an address in its outermost function */
};

enum { WIRE_REGISTERS_IP = 8, WIRE_REGISTERS_COUNT = 17 };

/* ax bx cx dx si di bp sp ip, and r8 to r15. */
struct wire_registers {
    struct wire_head head;
    uint64_t registers[WIRE_REGISTERS_COUNT];
};

struct wire_sample {
    struct wire_head head;
    uint32_t event, thread; /* index of the event in the request */
    uint32_t context;
    uint32_t access;  /* enum wire_access; 0 if the event is not an access */
    uint64_t ip;      /* the instruction */
    uint64_t time;    /* instructions this CPU had executed; in a trace, all CPUs */
    uint64_t weight;  /* instructions or hits that it represents */
    uint64_t address; /* of the access */
    uint64_t spent;   /* for a return: the thread's instructions since the call */
    uint32_t length;  /* bytes of the access */
    uint32_t valued;  /* 0: `value` is not known */
    uint64_t value;   /* read or written by the access */
};

enum wire_access { WIRE_READ = 1, WIRE_WRITE = 2 };

struct wire_count {
    struct wire_head head;
    uint32_t event, unused;
    uint64_t hits; /* all hits, sampled or not */
};

/* A virtual page that was written, and where: addresses. */
struct wire_mapping {
    struct wire_head head;
    uint64_t virtual, physical;
    uint64_t seen; /* highest: the virtual page's latest */
};

/* The last write of these bytes of one page, or consecutive ones. */
struct wire_word {
    struct wire_head head;
    uint32_t place; /* index of the place in the request */
    uint32_t thread, context;
    uint32_t length;
    uint64_t address, physical; /* as the writer knew it (UINT64_MAX: not known); where it is */
    uint64_t ip, time;          /* as in struct wire_sample; of several writes, the last */
    uint64_t count;             /* consecutive writes by the same code */
    uint64_t value;             /* of the bytes after the last write */
    uint32_t valued;            /* 0: `value` is not known */
    uint32_t interrupt;  /* the CPU's own write: 1 + vector, 257 if that is not known; 0: code's */
    uint32_t unit, step; /* if not 0: writes of `unit` bytes each, and the instructions between */
};

/*
 * What memory holds at the end in a word of a place, if its last write has left another value, or
 * if it was not written and is not 0.
 */
struct wire_held {
    struct wire_head head;
    uint32_t place;
    uint32_t length;   /* of the place in this word */
    uint64_t physical; /* of its first byte there */
    uint64_t value;
    uint32_t likely, unused; /* likely: read by its virtual address, maybe of other memory */
};

struct wire_number {
    struct wire_head head;
    uint64_t number;
};

/* Another build's kernel: `different` of the `blocks` that ran in its code do not match. */
struct wire_strange {
    struct wire_head head;
    uint64_t different, blocks;
};

enum wire_heap_kind {
    WIRE_HEAP_FREED,     /* an access to a freed object */
    WIRE_HEAP_BESIDE,    /* an access to the allocator's memory beside an object */
    WIRE_HEAP_TWICE,     /* a free of a freed object */
    WIRE_HEAP_MIDDLE,    /* a free of an address within an object */
    WIRE_HEAP_NO_OBJECT, /* a free of what no allocator has returned */
    WIRE_HEAP_FOREIGN,   /* a free of another allocator's object */
    WIRE_HEAP_KINDS,
};

/* An allocation or a free: the context of its caller. */
struct wire_touch {
    uint32_t context, cpu;
    uint64_t time;
};

/* What is wrong with an access or a free. Reports of the same places are one. */
struct wire_heap {
    struct wire_head head;
    uint32_t report; /* number, from 0 */
    uint32_t kind;   /* enum wire_heap_kind */
    uint32_t context, thread;
    uint32_t access, length; /* as in struct wire_sample; of a free 0 */
    uint64_t ip, time, address;
    uint64_t object, size;              /* the nearest object; 0, 0: there is none */
    struct wire_touch allocated, freed; /* freed.time 0: it is not */
    uint64_t count;
};

/* What calls in this context have allocated. */
struct wire_live {
    struct wire_head head;
    uint32_t context, unused;
    uint64_t objects, bytes; /* that are not freed at the end */
    uint64_t peak;           /* bytes when the most were allocated in all */
};

struct wire_objects {
    struct wire_head head;
    uint64_t allocated, freed; /* objects */
    uint64_t peak;             /* bytes */
    uint64_t reused;           /* freed unseen: their memory was returned again */
    uint64_t lost;             /* objects without room */
    uint64_t more;             /* reports without room */
    uint64_t crowd;            /* hits of objects that had several reports */
};

/* A place in code: an instruction; 0: the context's innermost call is the place. */
struct wire_place {
    uint64_t ip;
    uint32_t context, cpu;
};

enum wire_lock_flags {
    WIRE_LOCK_SLEEPS = 1, /* who waits for it may sleep */
    WIRE_LOCK_SEEN = 2,   /* no name tells that it is a lock */
    WIRE_LOCK_PART = 8,   /* shift: 1 + the number of the bit that it is; 0: it is no bit */
};

/* Where a lock was held or waited for the longest; `length`: instructions of the CPU. */
struct wire_lock_span {
    uint64_t length;
    struct wire_place place; /* of the taking */
};

/* A moment of a held lock: who has taken it, and where its CPU was. The first one is kept. */
struct wire_lock_moment {
    uint64_t count; /* 0: there was none */
    struct wire_place taken, at;
};

struct wire_lock {
    struct wire_head head;
    uint32_t lock;  /* number, from 1 */
    uint32_t flags; /* enum wire_lock_flags */
    uint64_t address;
    uint64_t taken, contended;
    uint64_t waited, held; /* instructions of the CPUs, of spans that began and ended on one CPU */
    uint64_t moved;        /* spans that ended on another CPU */
    uint64_t unseen;       /* was taken, or found free, without having been given back */
    struct wire_lock_span longest_wait, longest_hold;
    struct wire_place first;
    struct wire_lock_moment open;    /* held with interrupts on */
    struct wire_lock_moment handler; /* taken by the handler of a device's interrupt */
    struct wire_lock_moment halted;  /* held when its CPU halted */
    struct wire_lock_moment left;    /* held by a thread that was left, and was continued */
    uint32_t holder, unused;         /* the thread that holds it at the end; 0: none */
    struct wire_place by;            /* ... and has taken it here */
};

enum { WIRE_GUARDS_MOST = 24 };

/* A thread that held the lock `from`, taken at `outer`, has asked for `to` at `inner`. */
struct wire_lock_order {
    struct wire_head head;
    uint32_t from, to;
    uint32_t thread;  /* the first one */
    uint32_t several; /* others did, too */
    uint64_t count;
    struct wire_place outer, inner;
    uint32_t guard_count, unused;
    uint32_t guards[WIRE_GUARDS_MOST]; /* other locks that were held each time */
};

/* A thread that waits for a lock at the end. */
struct wire_lock_wait {
    struct wire_head head;
    uint32_t lock, thread;
    struct wire_place place;
    uint64_t length; /* instructions of its CPU so far */
};

/* Interrupts were turned off at one place, and on again at another. */
struct wire_masked {
    struct wire_head head;
    struct wire_place off, on; /* of the longest time */
    uint64_t count, longest;   /* instructions of the CPU */
};

struct wire_locks {
    struct wire_head head;
    uint64_t lost_locks, lost_orders, lost_masked; /* for lack of room */
    uint64_t lost_words; /* exchanges of words that may be locks, for lack of room */
    uint64_t lost_holds; /* locks that were taken by a thread that had too many */
    uint64_t queues;     /* words behind which code waits, of which it is not seen who has them */
};

enum wire_race_kind {
    WIRE_RACE_LOST,   /* read, written by another CPU, and then written: that value is lost */
    WIRE_RACE_TORN,   /* of several words one CPU saw, or left, some as before and some as after */
    WIRE_RACE_WRITES, /* two writes */
    WIRE_RACE_READ,   /* a read and a write */
    WIRE_RACE_KINDS,
};

/* One of two accesses at the same time to the same bytes. */
struct wire_race_side {
    uint32_t cpu, context, thread;
    uint32_t access, length; /* as in struct wire_sample */
    uint32_t valued;         /* 0: `value` is not known */
    uint64_t ip, time, address, value;
};

/* Races of the same two instructions are one. */
struct wire_race {
    struct wire_head head;
    uint32_t kind, unused;          /* enum wire_race_kind, the lowest that was seen */
    struct wire_race_side sides[2]; /* of the CPU that was stopped there; of the other one */
    uint64_t then;                  /* lost, torn: the instruction that has made it so; else 0 */
    uint64_t count;
};

struct wire_stops {
    struct wire_head head;
    uint64_t stops;       /* of CPUs */
    uint64_t places;      /* instructions at which a CPU was stopped */
    uint64_t more;        /* races without room */
    uint64_t ran;         /* stops during which another CPU ran */
    uint64_t interrupted; /* ... after which an interrupt came */
};

enum wire_slice_flags {
    WIRE_SLICE_BEFORE = 1, /* it had begun before, unseen */
    WIRE_SLICE_CUT = 2,    /* it had not ended */
    WIRE_SLICE_STAYED = 4, /* its thread ran on this CPU all the time */
    WIRE_SLICE_HOLDS = 8,  /* of a lock: it held it */
};

/*
 * A call, interrupt or system call of a thread. Times are instructions that all CPUs have executed;
 * slices of one thread lie within each other or apart.
 */
struct wire_slice {
    struct wire_head head;
    uint32_t thread;
    uint32_t depth; /* slices around it, and its thread */
    uint64_t at;    /* its function's first instruction, or another one of it */
    uint64_t began, ended;
    uint64_t shorter;      /* calls in it that are not sent, */
    uint64_t shorter_time; /* ... and the time they took */
    int32_t vector;        /* of an interrupt; -1: not known */
    uint32_t error;        /* its error code */
    uint32_t by;           /* enum wire_by */
    uint32_t flags;        /* enum wire_slice_flags */
};

/* The CPU ran the thread. */
struct wire_run {
    struct wire_head head;
    uint32_t thread, unused;
    uint64_t began, ended;
};

/* A thread has waited for a lock, which another one held, or has held it. */
struct wire_lock_slice {
    struct wire_head head;
    uint32_t thread;
    uint32_t depth; /* of a wait: slices around it */
    uint64_t address;
    uint64_t began, ended;
    struct wire_place place; /* of the call that has taken it; its CPU is the one at the end */
    uint32_t flags, unused;  /* enum wire_slice_flags */
};

/* A thread has called a function that makes others runnable. */
struct wire_wake {
    struct wire_head head;
    uint32_t thread, context;
    uint32_t waiting, unused; /* threads that waited for this value */
    uint64_t function, value, time;
    uint64_t arrow; /* its number, from 1, if it is known which thread runs next; 0: it is not */
};

/* The thread of that arrow runs. */
struct wire_woken {
    struct wire_head head;
    uint32_t thread, unused;
    uint64_t arrow, time;
};

struct wire_traced {
    struct wire_head head;
    uint64_t ended;   /* time */
    uint64_t full_at; /* time at which the requested number was reached; 0: it was not */
    uint64_t summed;  /* calls that are not sent, nor in a slice */
};

/* The cost of a context that is a path of functions, without its callees. */
struct wire_cost {
    struct wire_head head;
    uint32_t context, unused;
    uint64_t calls, instructions;
};

/* Straight-line code, by its addresses in the file. QEMU may split code in ways that overlap. */
struct wire_block {
    struct wire_head head;
    uint64_t start, end; /* end: the first byte after it */
    uint64_t count;      /* executions */
};

/* Where a CPU was at the end. */
struct wire_where {
    struct wire_head head;
    uint32_t context, thread;
    uint64_t ip;    /* of the block that began last */
    uint64_t time;  /* instructions it had executed */
    uint64_t calls; /* calls and interrupts; only the last are sent */
};

/* A call or an interrupt; `context` shows which. */
struct wire_last {
    struct wire_head head;
    uint32_t context, thread;
    uint64_t entry; /* first instruction of the callee or handler */
    uint64_t time;
    int32_t vector; /* of an interrupt; -1: not known */
    uint32_t error; /* its error code */
    uint32_t cycle; /* the last `cycle` records, this one included, */
    uint32_t again; /* ... were followed by themselves so many times */
};

/* Totals over all CPUs, and counts of lost data. */
struct wire_end {
    struct wire_head head;
    uint64_t instructions;
    uint64_t blocks;                    /* of any code that QEMU has translated */
    uint64_t within, calls, interrupts; /* while hits were counted; within: instructions */
    uint64_t switches, doubtful;        /* of stacks; those whose stack is only likely */
    uint64_t chains_ended;              /* samples whose chain ends in a caller that is not known */
    uint64_t contexts_lost;             /* chains cut short for lack of room for a new context */
    uint64_t samples_lost;              /* not written, as the pipe's reader had exited */
    uint64_t samples_left_out;          /* beyond the requested number */
};
