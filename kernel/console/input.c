/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See input.h. Positions are free-running 64-bit counters, reduced modulo the queue's size only as
 * an index, so that full and empty differ.
 */
#include "kernel/console/input.h"

#include <stddef.h>

#include "arch/cpu.h"
#include "kernel/sched/wait_queue.h"

_Static_assert((INPUT_QUEUE_SIZE & (INPUT_QUEUE_SIZE - 1)) == 0, "positions are cut by a mask");

static struct {
    uint8_t bytes[INPUT_QUEUE_SIZE];

    /* Written by the producer only. */
    uint64_t head;               /* position of the next byte to put */
    uint64_t interrupts;         /* number of ^C typed */
    uint64_t interrupt_position; /* `head` at the last ^C */

    /* Written by consumers, under their lock. */
    struct spinlock consumers;
    uint64_t tail;             /* position of the next byte to read */
    uint64_t interrupts_taken; /* number of ^C taken */
    void (*resume)(void);      /* set at boot */
    bool claimed;              /* readers of bytes get no further ^C */
    uint64_t claimed_at;       /* `interrupts` at the claim: readers get the earlier ones */
    uint64_t claimed_taken;    /* `interrupts` up to which the claimer has taken */

    /*
     * Set by the producer, which then stops; cleared by a consumer, which then resumes the
     * producer.
     */
    bool stopped;
} queue = {.consumers.name = "input"};

static uint64_t load(const uint64_t *position)
{
    return __atomic_load_n(position, __ATOMIC_ACQUIRE);
}

static void store(uint64_t *position, uint64_t value)
{
    __atomic_store_n(position, value, __ATOMIC_RELEASE);
}

static struct wait_queue arrivals = WAIT_QUEUE("console");
static bool message; /* set by any task, cleared by the console's; atomic */

void input_wake(void)
{
    wait_queue_wake_all(&arrivals);
}

static bool has_room(void)
{
    return load(&queue.head) - load(&queue.tail) < INPUT_QUEUE_SIZE;
}

static bool input_take(uint8_t byte)
{
    if (byte == INPUT_INTERRUPT) {
        store(&queue.interrupt_position, queue.head);
        store(&queue.interrupts, queue.interrupts + 1);
        return true;
    }
    if (!has_room()) {
        __atomic_store_n(&queue.stopped, true, __ATOMIC_RELEASE);
        return false;
    }
    queue.bytes[queue.head % INPUT_QUEUE_SIZE] = byte;
    store(&queue.head, queue.head + 1);
    return true;
}

bool input_put(uint8_t byte)
{
    bool taken = input_take(byte);

    if (taken)
        input_wake();
    return taken;
}

void input_set_resume(void (*resume)(void))
{
    queue.resume = resume;
}

/*
 * Checks for room again: the producer may have filled the queue before we read `stopped`. The
 * producer stays stopped until it is resumed, so the two writers of `stopped` never meet.
 */
static void advance_to(uint64_t position)
{
    store(&queue.tail, position);
    if (!__atomic_load_n(&queue.stopped, __ATOMIC_ACQUIRE) || !has_room())
        return;
    __atomic_store_n(&queue.stopped, false, __ATOMIC_RELEASE);
    if (queue.resume)
        queue.resume();
}

static bool is_claimed(void)
{
    return __atomic_load_n(&queue.claimed, __ATOMIC_ACQUIRE);
}

bool input_interrupted(void)
{
    return load(&queue.interrupts) !=
           load(is_claimed() ? &queue.claimed_taken : &queue.interrupts_taken);
}

/*
 * Takes a ^C if fewer than `typed` have been taken; *taken counts them. If another ^C is typed
 * after `typed` was loaded, the bytes before it are dropped one call early.
 */
static bool take_interrupt(uint64_t typed, uint64_t *taken)
{
    if (*taken == typed)
        return false;
    uint64_t position = load(&queue.interrupt_position);
    store(taken, *taken + 1);
    if (position > queue.tail)
        advance_to(position);
    return true;
}

bool input_take_interrupt(void)
{
    bool taken;

    spinlock_acquire(&queue.consumers);
    taken = take_interrupt(load(&queue.interrupts),
                           is_claimed() ? &queue.claimed_taken : &queue.interrupts_taken);
    spinlock_release(&queue.consumers);
    return taken;
}

void input_claim_interrupt(void)
{
    uint64_t typed;

    spinlock_acquire(&queue.consumers);
    typed = load(&queue.interrupts);
    store(&queue.claimed_at, typed);
    store(&queue.claimed_taken, typed);
    __atomic_store_n(&queue.claimed, true, __ATOMIC_RELEASE);
    spinlock_release(&queue.consumers);
}

void input_release_interrupt(void)
{
    spinlock_acquire(&queue.consumers);
    store(&queue.interrupts_taken, queue.interrupts_taken + queue.claimed_taken - queue.claimed_at);
    __atomic_store_n(&queue.claimed, false, __ATOMIC_RELEASE);
    spinlock_release(&queue.consumers);
    input_wake();
}

/*
 * Returns how many ^C the byte reader has to handle: all typed so far or, during a claim, those
 * typed before it. Loads the total before `claimed`, so that a claim that begins meanwhile does not
 * take them.
 */
static uint64_t readers_interrupts(void)
{
    uint64_t typed = load(&queue.interrupts);

    return is_claimed() ? load(&queue.claimed_at) : typed;
}

bool input_pending(void)
{
    return readers_interrupts() != load(&queue.interrupts_taken) ||
           load(&queue.head) != load(&queue.tail);
}

/* Loads the head first, so that a ^C typed before a byte is returned before it. */
static bool get_byte(uint8_t *byte)
{
    uint64_t head = load(&queue.head);

    if (take_interrupt(readers_interrupts(), &queue.interrupts_taken)) {
        *byte = INPUT_INTERRUPT;
        return true;
    }
    if (head == queue.tail)
        return false;
    *byte = queue.bytes[queue.tail % INPUT_QUEUE_SIZE];
    advance_to(queue.tail + 1);
    return true;
}

bool input_get(uint8_t *byte)
{
    bool got;

    spinlock_acquire(&queue.consumers);
    got = get_byte(byte);
    spinlock_release(&queue.consumers);
    return got;
}

/* --- Waiting. --- */

void input_wait_until(bool (*holds)(void))
{
    uint64_t flags = wait_queue_lock(&arrivals);

    while (!holds())
        flags = wait_queue_sleep(&arrivals, flags);
    wait_queue_unlock(&arrivals, flags);
}

static bool has_news(void)
{
    return input_pending() || __atomic_load_n(&message, __ATOMIC_RELAXED);
}

void input_wait(void)
{
    input_wait_until(has_news);
}

bool input_take_message(void)
{
    return __atomic_exchange_n(&message, false, __ATOMIC_RELAXED);
}

void input_tell_message(void)
{
    __atomic_store_n(&message, true, __ATOMIC_RELAXED);
    input_wake();
}
