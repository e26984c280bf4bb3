/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine's stacks, and the frames on each. Called by outside/plugin/follow.c, which decides
 * when a CPU changes stacks.
 *
 * A CPU that is on a stack changes its frames without a lock: no other CPU is on it. All functions
 * but stack_top, stack_context, stack_push and stack_pop_below need the plugin's lock, as do `low`,
 * `floor` and `high`, except that the CPU on the stack may read them. Structures of dead stacks are
 * used again, so a pointer that is kept goes with the number of this life (struct stack_link).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define STACK_PAGE 4096u

struct stack;

struct stack_link {
    struct stack *stack;
    uint32_t life;
};

enum frame_kind {
    FRAME_CALL,
    FRAME_ALLOCATOR, /* a call that has led to an allocator (heap.h) */
    FRAME_INTERRUPT, /* interrupt, exception or int */
    FRAME_SYSCALL,
    FRAME_UNKNOWN, /* ends the chain: what lies below is only likely */
};

struct frame {
    uint64_t place; /* address of the return address, or of the CPU's interrupt frame */
    uint64_t next;  /* return address of a call */
    uint64_t entry; /* first instruction of the callee or handler; 0: not known */
    uint64_t began; /* the value of its stack's `ran` when it began; of an allocator's, the number
                     * given to follow_allocates */
    uint32_t context;
    enum frame_kind kind;
    bool device;             /* of an interrupt: see struct follow_interrupt */
    uint32_t function;       /* see follow_enters */
    struct stack_link below; /* the stack that was left for this one; NULL: the same, or unknown */
};

/* Where a CPU's rsp is. */
struct stack_where {
    uint64_t rsp;
    uint64_t space;    /* cr3; 0: not known */
    uint64_t physical; /* the physical page of rsp's page; 0: not known */
    uint64_t program;  /* cr3 of the program that runs; 0: not known, or none */
    bool interrupted;  /* the code that runs with this rsp */
};

struct stack {
    uint64_t floor, high; /* its frames lie from `floor` to `high`; below floor it has to grow */
    unsigned depth, room; /* these six are what each call uses: together */
    struct frame *frames;
    uint64_t ran;            /* instructions executed on it, as reported by follow_time */
    uint64_t low;            /* rsp when it was left */
    uint64_t space;          /* the address space (cr3) in which it was found, 0: not known */
    uint64_t page, physical; /* its last virtual page that was seen, and the physical one; 0 */
    uint32_t life;           /* differs for each stack that uses this structure; 0: dead */
    uint32_t thread;         /* whose chains end here, or where they end; 0: no number yet */
    bool on;                 /* a CPU is on it */
    bool user;               /* a program runs on it, so it belongs to its address space alone */
    uint32_t function;       /* as in a frame, for a thread's first function */
    uint64_t program;        /* cr3 of the program that runs on it; 0: not known, or none */
    uint64_t entered;        /* rsp when it was entered */
    uint64_t left;           /* order in which stacks were left */
    struct stack *next_suspended; /* in the table by `low` */
};

/* False: no memory. */
bool stack_init(void);

/* Returns a new stack that begins at rsp; NULL: no memory. */
struct stack *stack_new(const struct stack_where *where);

/*
 * Returns a stack that was left with exactly this rsp, or one with this rsp between its innermost
 * frame and its upper end; the one left last, if there are several. Stacks on other memory are not
 * considered: stack_is_there. Nor are, if calls stay, those of which a return address is gone: they
 * are dead.
 */
struct stack *stack_suspended_at(const struct stack_where *where);
struct stack *stack_around(const struct stack_where *where);

/*
 * Returns the stack that was left with an rsp at most `slack` above this one, or a page if it has
 * no frames: the nearest.
 */
struct stack *stack_suspended_near(const struct stack_where *where, uint64_t slack);

/*
 * False if the stack is known to be on other memory: its innermost return address at or above rsp
 * is not there; the page is another physical one; or it is a program's in another address space.
 */
bool stack_is_there(const struct stack *stack, const struct stack_where *where);

/* The CPU leaves the stack with this rsp, or enters it: frames below rsp are gone. */
void stack_leave(struct stack *stack, uint64_t rsp);
void stack_enter(struct stack *stack, uint64_t rsp);

/* The current stack extends to `place`; other stacks with frames there are dead. */
void stack_grow(struct stack *stack, uint64_t place);

void stack_push(struct stack *stack, const struct frame *frame);

/* Pops the frames below the place. */
static inline void stack_pop_below(struct stack *stack, uint64_t place)
{
    while (stack->depth > 0 && stack->frames[stack->depth - 1].place < place)
        stack->depth--;
}

/* Return the innermost frame, or NULL, and its context, or CONTEXT_NONE. */
struct frame *stack_top(const struct stack *stack);
uint32_t stack_context(const struct stack *stack);

/* Returns the stack of a link; NULL if it is dead. */
struct stack *stack_linked(const struct stack_link *link);
struct stack_link stack_link_to(struct stack *stack);

/* True if calls stay on this suspended stack when it is entered at rsp. */
bool stack_keeps_calls(const struct stack *stack, uint64_t rsp);

/*
 * True if it then continues a function: rsp is what it was when that called, or was interrupted, or
 * what it is before that returns.
 */
bool stack_continues_at(const struct stack *stack, uint64_t rsp);

/* Implemented by the plugin: what the current CPU's memory holds at `address`. */
enum memory { MEMORY_UNKNOWN, MEMORY_HOLDS, MEMORY_DIFFERS };

enum memory memory_compare(uint64_t address, uint64_t word);
