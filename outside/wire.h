/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the plugin, in QEMU's process, tells the command `pitot` through a pipe: records in the
 * host's byte order, each a multiple of 8 bytes. The plugin knows addresses and no names; the
 * command knows the ELF, and writes what people read. A pipe that ends without WIRE_END is a QEMU
 * that was killed: what came is whole.
 */
#pragma once

#include <stdint.h>

#define WIRE_VERSION 2

enum wire_kind {
    WIRE_BEGIN = 1, /* struct wire_begin: the first record */
    WIRE_CONTEXT,   /* struct wire_context: before the first record that names it */
    WIRE_THREAD,    /* struct wire_thread: before the first sample of it */
    WIRE_SAMPLE,    /* struct wire_sample */
    WIRE_COUNT,     /* struct wire_count: one for each event, at the end */
    WIRE_END,       /* struct wire_end: the last record */
    WIRE_REGISTERS, /* struct wire_registers: before the sample that they are of, if wanted */

    WIRE_COST = 10,  /* struct wire_cost: one for each context, at the end */
    WIRE_WHERE,      /* struct wire_where: for each CPU that ran, at the end */
    WIRE_LAST,       /* struct wire_last: after its CPU's WIRE_WHERE, the oldest first */
    WIRE_WORD = 20,  /* struct wire_word: at the end, each word's newest first */
    WIRE_CLOCK,      /* struct wire_clock: of each CPU that has run, at the end */
    WIRE_LOST,       /* struct wire_lost: at the end of all words of memory, or of all blocks */
    WIRE_BLOCK,      /* struct wire_block: at the end, of each block that has run */
    WIRE_SLIDE = 30, /* struct wire_slide: before the kernel's code is followed */
    WIRE_STRANGE,    /* struct wire_strange: the last record that matters */
    WIRE_PATCHED,    /* struct wire_patched: near the end */
};

struct wire_head {
    uint16_t size; /* of the whole record */
    uint8_t kind;
    uint8_t unused;
    uint32_t cpu;
};

struct wire_begin {
    struct wire_head head;
    uint32_t version, cpus; /* WIRE_VERSION; how many CPUs the machine may have */
};

/*
 * A calling context: a path of call sites, the innermost of which is this one's. 0 is the context
 * of code whose caller is not known.
 */
struct wire_context {
    struct wire_head head;
    uint32_t context, outer;
    uint64_t site;     /* the call instruction, or the instruction that an interrupt came before;
                        * in a path of functions, the first instruction of the handler */
    uint32_t by;       /* enum wire_by */
    uint32_t site_end; /* bytes of the call instruction: it returns to site + site_end */
};

enum wire_by {
    WIRE_BY_CALL,
    WIRE_BY_INTERRUPT,
    WIRE_BY_ENTRY, /* of a path of functions: `site` is the first instruction of what was called */
};

/* A stack is a thread. Number 0 is code whose stack is not known yet. */
struct wire_thread {
    struct wire_head head;
    uint32_t thread, unused;
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
    uint32_t event, thread; /* the event's place among the plugin's arguments, from 0 on */
    uint32_t context;
    uint32_t access;  /* enum wire_access; 0 if the event is no access */
    uint64_t ip;      /* the instruction */
    uint64_t time;    /* instructions that this CPU had executed */
    uint64_t weight;  /* instructions or hits that it stands for */
    uint64_t address; /* that was accessed */
    uint64_t spent;   /* instructions of the thread from the call to the return */
    uint32_t length;  /* bytes of the access */
    uint32_t unused;
};

enum wire_access { WIRE_READ = 1, WIRE_WRITE = 2 };

struct wire_count {
    struct wire_head head;
    uint32_t event, unused;
    uint64_t hits; /* all of them, samples or not */
};

/* A write of these bytes. */
struct wire_word {
    struct wire_head head;
    uint32_t place; /* its number among the plugin's arguments, from 0 on */
    uint32_t thread, context;
    uint32_t length;
    uint64_t address;
    uint64_t ip, time; /* as in struct wire_sample; of the last one, if there are several: */
    uint64_t count;    /* writes by the same code in a row */
    uint64_t value;    /* of the bytes after the last one, */
    uint32_t valued;   /* if this is not 0 */
    uint32_t unused;
};

struct wire_clock {
    struct wire_head head;
    uint64_t time; /* instructions that the CPU has executed */
};

/* The kernel runs so far above the addresses of its file. Not told if it runs where they are. */
struct wire_slide {
    struct wire_head head;
    uint64_t slide;
};

/* The file is another build: so many of the blocks that ran where its code lies are not its own. */
struct wire_strange {
    struct wire_head head;
    uint64_t different, blocks;
};

/* So many instructions of the file were different when they ran. */
struct wire_patched {
    struct wire_head head;
    uint64_t places;
};

/* What was executed in a context that is a path of functions, without what it called. */
struct wire_cost {
    struct wire_head head;
    uint32_t context, unused;
    uint64_t calls, instructions;
};

struct wire_lost {
    struct wire_head head;
    uint64_t count; /* writes or blocks that are not known, for want of room */
};

/* Code that runs from its first instruction to its last. QEMU may have cut it in several ways. */
struct wire_block {
    struct wire_head head;
    uint64_t start, end; /* end: the first byte after it */
    uint64_t count;      /* how often */
};

/* Where a CPU was at the end. */
struct wire_where {
    struct wire_head head;
    uint32_t context, thread;
    uint64_t ip;    /* of the block of code that began last */
    uint64_t time;  /* instructions that it had executed */
    uint64_t calls; /* and interrupts, of which the last are told */
};

/* A call, or an interrupt: `context` says which. */
struct wire_last {
    struct wire_head head;
    uint32_t context, thread;
    uint64_t entry; /* the first instruction of what was called, or of the handler */
    uint64_t time;
};

/* How much of the machine was seen, on all CPUs, and what did not fit. */
struct wire_end {
    struct wire_head head;
    uint64_t instructions;
    uint64_t within, calls, interrupts; /* while hits were counted; within: instructions */
    uint64_t unmatched;        /* returns of calls that were not seen; their chains end there */
    uint64_t contexts_lost;    /* chains that end early, as there was no room for a new context */
    uint64_t samples_lost;     /* the pipe's reader had gone */
    uint64_t samples_left_out; /* they came after as many as were wanted */
};
