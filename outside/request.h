/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `pitot` wants of the plugin: one structure, and behind it the addresses that its lists refer
 * to, in an anonymous file whose descriptor QEMU inherits. The commands and outside/pitot/plugin.c
 * fill it in; the plugin reads it before the machine runs, and answers with the records of
 * outside/wire.h. Numbers are in the host's byte order, and all padding has a name.
 *
 * To add what a command wants:
 *
 *     - give it a member before `addresses`, of uint32_t, int32_t or uint64_t, that asks for
 *       nothing if it is 0. A limit of it stands below: `pitot` refuses more, the plugin asserts
 *     - set it in watch->request (outside/pitot/COMMAND.c); for addresses: plugin_add_addresses
 *     - read it in PART_begin (outside/plugin/PART.c), which run_begin calls
 *     - read it in `request` of tests/lib/Pitot/StandIn.pm, for tests of the command
 *     - raise WIRE_VERSION
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/wire.h"

#define REQUEST_MAGIC "pitotASK"

/* Limits. */
#define EVENTS_MOST         96u /* in all -e and --trigger together */
#define PLACES_MOST         96u
#define PLACE_LONGEST       (1u << 20) /* bytes */
#define WRITERS_MOST        1000u      /* of a word */
#define MEMORY_LEAST        32768u     /* bytes for writers of all memory */
#define LAST_MOST           100000u    /* calls of a CPU */
#define CODE_MOST           32u        /* executable segments */
#define ALLOCATORS_MOST     192u       /* with aliases */
#define LOCK_FUNCTIONS_MOST 128u       /* with aliases */
#define ARGUMENTS_MOST      6u         /* that the System V ABI passes in registers */
#define QUARANTINE_MOST     1000000u
#define VECTOR_MOST         255u
#define REQUEST_PATH_ROOM   64u

/* The addresses from addresses[first] on. */
struct request_list {
    uint32_t first, count;
};

/* Code in the kernel's file. */
struct request_code {
    uint64_t address, offset, size;
};

enum event_kind {
    EVENT_INSTRUCTIONS,
    EVENT_MEMORY,
    EVENT_CALLS,
    EVENT_RETURNS,
    EVENT_INTERRUPTS,
    EVENT_HEAP, /* only of files (outside/pitot/heap_record.c) */
};

struct request_event {
    uint32_t kind;   /* enum event_kind */
    uint32_t stops;  /* no event counts hits after its first hit */
    uint64_t period; /* instructions or hits for a sample; 0: counts without samples */
    /* EVENT_MEMORY */
    uint64_t address, length;
    uint32_t access; /* enum wire_access */
    uint32_t fixed;  /* a run-time address, which the kernel's slide does not move */
    /* EVENT_INTERRUPTS */
    uint32_t vector_first, vector_last;
    /* EVENT_CALLS, EVENT_RETURNS: entries, sorted */
    struct request_list functions;
};

struct request_place {
    uint64_t address, length;
    uint32_t fixed, unused;
};

enum allocator_kind { ALLOCATOR_ALLOCATES, ALLOCATOR_REALLOCATES, ALLOCATOR_FREES };
enum allocator_size {
    ALLOCATOR_SAME,
    ALLOCATOR_PRODUCT,
    ALLOCATOR_SHIFT,
    ALLOCATOR_FIELD, /* in memory: where the first, an argument, points to, and the second beyond */
};

struct request_allocator {
    uint64_t entry;
    uint32_t kind;   /* enum allocator_kind */
    uint32_t family; /* 1 to 255: who allocates frees; 0: any */
    /*
     * REALLOCATES, FREES: which argument it is, from 1. ALLOCATES: the argument that points to
     * where its address is stored; 0: it is returned.
     */
    uint32_t object;
    uint32_t size;     /* ALLOCATES: enum allocator_size, of these two */
    uint64_t sizes[2]; /* ALLOCATES, REALLOCATES: arguments from 1, or greater numbers */
    uint32_t before;   /* REALLOCATES, FREES: the argument that is its size so far; 0: none is */
    uint32_t width;    /* ALLOCATOR_FIELD: its bytes, 1 to 8 */
};

/* True if it means an argument's value, and not itself: of allocators' sizes and objects. */
static inline bool request_is_argument(uint64_t number)
{
    return number > 0 && number <= ARGUMENTS_MOST;
}

enum lock_function_kind {
    LOCK_TAKES,
    LOCK_TRIES,      /* returns true (in al) if it has taken the lock */
    LOCK_TRIES_ZERO, /* returns 0 if it has */
    LOCK_GIVES,
    LOCK_BEGINS, /* makes a new lock */
    LOCK_WAITS,  /* of a trace: no lock; a thread waits in it until one of the next is called */
    LOCK_WAKES,  /* ... with the same value */
};

struct request_lock_function {
    uint64_t entry;
    uint64_t lock;   /* which argument it is, from 1, or the address of the only one */
    uint32_t kind;   /* enum lock_function_kind */
    uint32_t sleeps; /* who waits may sleep */
};

struct request {
    /* These are the same in each version. */
    char magic[8];          /* REQUEST_MAGIC */
    uint32_t version, size; /* WIRE_VERSION; bytes in all */

    int32_t out; /* descriptor: QEMU's end of the pipe */
    uint32_t address_count;
    uint32_t chains;    /* calls are followed */
    uint32_t registers; /* samples include registers */

    /* The kernel. Nothing is counted before some of this code runs. */
    uint64_t text_first, text_last; /* the range of all its code */
    uint32_t code_count;
    int32_t code_file; /* descriptor */
    struct request_code code[CODE_MOST];

    /* The window in which hits count: addresses in the kernel's file; 0: not given. */
    uint64_t from, until;
    uint64_t samples_most; /* samples or reports; 0: unlimited */

    uint32_t event_count, event_unused;
    struct request_event events[EVENTS_MOST];

    /* QEMU's log, which is read for interrupts before QEMU 9.2; an empty folder: it is not. */
    struct {
        char folder[REQUEST_PATH_ROOM];
        int32_t copy;        /* descriptor for lines of the user's own -d; -1: none */
        uint32_t copies_all; /* they include those of -d int */
    } log;

    uint32_t graph; /* costs are reported */
    uint32_t last;  /* calls kept for each CPU; 0: none */
    uint32_t cover; /* blocks are counted */
    uint32_t unused;

    struct {
        uint64_t memory;  /* bytes, for writers of all memory; 0: of the places */
        uint32_t writers; /* kept for each word of the places */
        uint32_t place_count;
        struct request_place places[PLACES_MOST];
    } blame;

    struct {
        uint32_t allocator_count;
        uint32_t guard;      /* bytes that are added to each object; 0: the kernel is not changed */
        uint32_t quarantine; /* frees held back, of each function; 0: the kernel is not changed */
        uint32_t unused;
        /* First byte, end, ..., sorted: the allocators' code, and the kernel's variables. */
        struct request_list code, variables;
        struct request_allocator allocators[ALLOCATORS_MOST];
    } heap;

    struct {
        uint32_t watch; /* the kernel's locks are watched */
        uint32_t words; /* ... also those that no function takes */
        uint32_t function_count, unused;
        struct request_lock_function functions[LOCK_FUNCTIONS_MOST];
    } locks;

    struct {
        uint64_t seed;
        uint32_t every; /* accesses after which a CPU looks for a place to stop; 0: none does */
        uint32_t unused;
        /* First byte, end, ..., sorted: variables that synchronise, functions that access such. */
        struct request_list sync;
    } race;

    uint64_t shake; /* a seed: CPUs are stopped for moments; 0: they are not */

    struct {
        uint32_t slices;               /* who ran when is sent */
        uint32_t depth;                /* of the calls that are sent, at most */
        uint64_t least;                /* time that a call takes which is sent */
        struct request_list functions; /* sorted: of these only; none: of all */
        uint64_t least_lock;           /* time of a wait for a lock, and of a hold, that is sent */
        uint32_t wake_count, unused;   /* functions that wait or wake */
        struct request_lock_function wakes[LOCK_FUNCTIONS_MOST];
    } trace;

    uint64_t addresses[];
};

_Static_assert(sizeof(struct request) % sizeof(uint64_t) == 0, "addresses follow without padding");
