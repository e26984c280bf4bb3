/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The floor: the least that a ring needs if it keeps the newest whole events of variable size and
 * writers may nest. It reads head and clock, walks the tail over old events until there is room (an
 * exchange each), claims its place (an exchange of the head), and copies, in two pieces at the
 * ring's end. It neither counts, nor publishes, nor notes its claim, nor checks anything; a nested
 * writer at the wrong instruction corrupts it. Compiled with the kernel's flags.
 */
#include <stdlib.h>
#include <string.h>

#include "arch/cpu.h"
#include "arch/local.h"
#include "tests/bench/ring/writers.h"

struct floor {
    uint8_t *bytes;
    uint64_t head, tail;
};

typedef void copy_function(void *to, const void *from, uint64_t size);

static uint16_t floor_size_at(const struct floor *floor, uint64_t offset)
{
    return ((struct perf_event_header *)(floor->bytes + offset % RING_BYTES))->size;
}

__attribute__((noinline)) static void floor_copy_around(struct floor *floor, uint64_t start,
                                                        const void *bytes, uint64_t size)
{
    uint64_t first = RING_BYTES - start;

    memcpy(floor->bytes + start, bytes, first);
    memcpy(floor->bytes, (const uint8_t *)bytes + first, size - first);
}

__attribute__((always_inline)) static inline void floor_write(struct floor *floor,
                                                              const void *bytes, uint64_t size,
                                                              uint64_t *time, copy_function *copy)
{
    uint64_t head, tail, start;

    do {
        head = local_load(&floor->head);
        *time = arch_clock_ns();
        while (head + size - (tail = local_load(&floor->tail)) > RING_BYTES)
            local_compare_exchange(&floor->tail, tail, tail + floor_size_at(floor, tail));
    } while (!local_compare_exchange(&floor->head, head, head + size));
    start = head % RING_BYTES;
    if (__builtin_expect(size <= RING_BYTES - start, 1))
        copy(floor->bytes + start, bytes, size);
    else
        floor_copy_around(floor, start, bytes, size);
}

/* --- Ways to copy: the kernel's two, the simplest, and the library's with vector registers. --- */

__attribute__((always_inline)) static inline void copy_kernel(void *to, const void *from,
                                                              uint64_t size)
{
    local_move_words(to, from, size / 8);
}

__attribute__((always_inline)) static inline void copy_string(void *to, const void *from,
                                                              uint64_t size)
{
    local_copy_words(to, from, size / 8);
}

__attribute__((always_inline)) static inline void copy_loop(void *to, const void *from,
                                                            uint64_t size)
{
    uint64_t *word = to;

    for (uint64_t i = 0; i < size / 8; i++) {
        word[i] = ((const uint64_t *)from)[i];
        __asm__ volatile("" ::: "memory"); /* or the compiler turns it into a call of memcpy */
    }
}

__attribute__((always_inline)) static inline void copy_library(void *to, const void *from,
                                                               uint64_t size)
{
    memcpy(to, from, size);
}

/* Not inlined, like ring_output. */
__attribute__((noinline)) static void floor_kernel(struct floor *floor, const void *bytes,
                                                   uint32_t size, uint64_t *time)
{
    floor_write(floor, bytes, size, time, copy_kernel);
}

__attribute__((noinline)) static void floor_string(struct floor *floor, const void *bytes,
                                                   uint32_t size, uint64_t *time)
{
    floor_write(floor, bytes, size, time, copy_string);
}

__attribute__((noinline)) static void floor_loop(struct floor *floor, const void *bytes,
                                                 uint32_t size, uint64_t *time)
{
    floor_write(floor, bytes, size, time, copy_loop);
}

__attribute__((noinline)) static void floor_library(struct floor *floor, const void *bytes,
                                                    uint32_t size, uint64_t *time)
{
    floor_write(floor, bytes, size, time, copy_library);
}

static void *floor_open(struct side *side)
{
    struct floor *floor = aligned_alloc(64, (sizeof(*floor) + 63) / 64 * 64);

    (void)side;
    if (!floor)
        return NULL;
    *floor = (struct floor){.bytes = aligned_alloc(4096, RING_BYTES)};
    if (!floor->bytes) {
        free(floor);
        return NULL;
    }
    memset(floor->bytes, 0, RING_BYTES);
    return floor;
}

static void floor_close(struct side *side)
{
    struct floor *floor = side->ring;

    free(floor->bytes);
    free(floor);
}

static const char *floor_fault(struct side *side)
{
    const struct floor *floor = side->ring;
    uint64_t last = 0, kept = 0;
    const char *fault = NULL;

    for (uint64_t at = floor->tail; at < floor->head && !fault; at += side->event.header.size) {
        struct event event;
        uint64_t start = at % RING_BYTES, size = side->event.header.size;
        uint64_t first = size < RING_BYTES - start ? size : RING_BYTES - start;

        memcpy(&event, floor->bytes + start, first);
        memcpy((uint8_t *)&event + first, floor->bytes, size - first);
        fault = event.header.size != size ? "a wrong header" : event_fault(&event, &last);
        kept++;
    }
    return fault ? fault : newest_fault(side, last, kept);
}

#define BURST(write)                                                                               \
    static void write##_burst(struct side *side, unsigned count)                                   \
    {                                                                                              \
        for (unsigned i = 0; i < count; i++) {                                                     \
            side->event.sequence++;                                                                \
            write(side->ring, &side->event, side->event.header.size, &side->event.time);           \
        }                                                                                          \
    }

BURST(floor_kernel)
BURST(floor_string)
BURST(floor_loop)
BURST(floor_library)

const struct writer OF_CLOCK(writer_floor_) = {
    .name = "floor, the kernel's copy",
    .clock = HAS_CLOCK,
    .open = floor_open,
    .close = floor_close,
    .burst = floor_kernel_burst,
    .fault = floor_fault,
};
const struct writer OF_CLOCK(writer_floor_string_) = {
    .name = "floor, copy by rep movsq",
    .clock = HAS_CLOCK,
    .open = floor_open,
    .close = floor_close,
    .burst = floor_string_burst,
    .fault = floor_fault,
};
const struct writer OF_CLOCK(writer_floor_loop_) = {
    .name = "floor, copy by words",
    .clock = HAS_CLOCK,
    .open = floor_open,
    .close = floor_close,
    .burst = floor_loop_burst,
    .fault = floor_fault,
};
const struct writer OF_CLOCK(writer_floor_library_) = {
    .name = "floor, memcpy of the library",
    .clock = HAS_CLOCK,
    .open = floor_open,
    .close = floor_close,
    .burst = floor_library_burst,
    .fault = floor_fault,
};
