/* SPDX-License-Identifier: BSD-2-Clause */
/* See run.h. Counters are in chunks and never move, as translated code has their addresses. */
#include "outside/plugin/run.h"

#include <stdlib.h>

#include "outside/plugin/tell.h"

#define CHUNK       4096u
#define CHUNKS_MOST 4096u

struct covered {
    uint64_t start, end;
    uint64_t instructions;
};

static struct chunk {
    struct covered blocks[CHUNK];
    struct counters *counters;
} * chunks[CHUNKS_MOST];

static uint64_t count, lost;
static unsigned cpus = 1;
static bool wanted;

/* --- QEMU's counters. --- */

#if QEMU_API >= 2
static struct counters *counters_new(void)
{
    return (void *)qemu_plugin_scoreboard_new(CHUNK * sizeof(uint64_t));
}

static qemu_plugin_u64 counter(struct counters *counters, unsigned i)
{
    return (qemu_plugin_u64){(void *)counters, i * sizeof(uint64_t)};
}

static void counters_add(struct counters *counters, unsigned i, struct qemu_plugin_tb *block)
{
    qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(block, QEMU_PLUGIN_INLINE_ADD_U64,
                                                      counter(counters, i), 1);
}

static uint64_t counters_read(struct counters *counters, unsigned i)
{
    return qemu_plugin_u64_sum(counter(counters, i));
}
#else
/* A chunk for each CPU. */
static struct counters *counters_new(void)
{
    return calloc((size_t)cpus * CHUNK, sizeof(uint64_t));
}

static void on_block(unsigned cpu, void *own)
{
    uint64_t *first = own;

    first[(size_t)cpu * CHUNK]++;
}

static void counters_add(struct counters *counters, unsigned i, struct qemu_plugin_tb *block)
{
    uint64_t *first = (uint64_t *)(void *)counters + i;

    if (cpus == 1)
        qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, first, 1);
    else
        qemu_plugin_register_vcpu_tb_exec_cb(block, on_block, QEMU_PLUGIN_CB_NO_REGS, first);
}

static uint64_t counters_read(struct counters *counters, unsigned i)
{
    uint64_t sum = 0;

    for (unsigned cpu = 0; cpu < cpus; cpu++)
        sum += ((uint64_t *)(void *)counters)[(size_t)cpu * CHUNK + i];
    return sum;
}
#endif

/* --- Blocks. --- */

void cover_begin(const struct request *request, unsigned all)
{
    wanted = request->cover;
    cpus = all;
}

bool cover_watch(void)
{
    return wanted;
}

/* Returns the chunk of the next block; NULL: no room. */
static struct chunk *next_chunk(void)
{
    struct chunk **chunk = &chunks[count / CHUNK];

    if (count == (uint64_t)CHUNK * CHUNKS_MOST)
        return NULL;
    if (!*chunk && (*chunk = calloc(1, sizeof(**chunk))))
        (*chunk)->counters = counters_new();
    return *chunk && (*chunk)->counters ? *chunk : NULL;
}

void cover_block(struct qemu_plugin_tb *block, uint64_t slide)
{
    size_t instructions = qemu_plugin_tb_n_insns(block);
    struct chunk *chunk = next_chunk();
    unsigned at = (unsigned)(count % CHUNK);
    struct qemu_plugin_insn *last;

    if (!chunk || instructions == 0) {
        lost += !chunk;
        return;
    }
    last = qemu_plugin_tb_get_insn(block, instructions - 1);
    chunk->blocks[at] = (struct covered){
        .start = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, 0)) - slide,
        .end = qemu_plugin_insn_vaddr(last) + qemu_plugin_insn_size(last) - slide,
        .instructions = instructions,
    };
    counters_add(chunk->counters, at, block);
    count++;
}

uint64_t cover_tell(void)
{
    uint64_t instructions = 0;

    for (uint64_t i = 0; i < count; i++) {
        const struct chunk *chunk = chunks[i / CHUNK];
        const struct covered *block = &chunk->blocks[i % CHUNK];
        uint64_t runs = counters_read(chunk->counters, (unsigned)(i % CHUNK));

        instructions += runs * block->instructions;
        if (runs > 0)
            tell_block(block->start, block->end, runs);
    }
    if (lost)
        tell_number(WIRE_LOST, 0, lost);
    return instructions;
}
