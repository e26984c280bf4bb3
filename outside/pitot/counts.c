/* SPDX-License-Identifier: BSD-2-Clause */
/* See counts.h. */
#include "outside/pitot/counts.h"

#include "outside/pitot/array.h"

/*
 * `count`: how often the code up to the next edge ran; before counts_sort, the change at this edge.
 */
static struct edge {
    uint64_t address, count;
} * edges;
static size_t edge_count, room;

int counts_add(const struct wire_block *block, struct refusal *why)
{
    int error;

    if (block->start >= block->end)
        return refuse(why, EINVAL, "the plugin's block from 0x%llx to 0x%llx is invalid",
                      (unsigned long long)block->start, (unsigned long long)block->end);
    error = array_grow(&edges, &room, edge_count + 2, sizeof(*edges), "blocks", why);
    if (error)
        return error;
    edges[edge_count++] = (struct edge){block->start, block->count};
    edges[edge_count++] = (struct edge){block->end, -block->count};
    return 0;
}

static int compare(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;

    return a->address < b->address ? -1 : a->address > b->address;
}

void counts_sort(void)
{
    size_t used = 0;
    uint64_t count = 0;

    if (edge_count == 0)
        return;
    qsort(edges, edge_count, sizeof(*edges), compare);
    for (size_t i = 0; i < edge_count; i++) {
        count += edges[i].count;
        if (i + 1 == edge_count || edges[i + 1].address != edges[i].address)
            edges[used++] = (struct edge){edges[i].address, count};
    }
    edge_count = used;
}

/* The number of edges at or before the address. */
static size_t edges_until(uint64_t address)
{
    size_t low = 0, high = edge_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (edges[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t counts_most(uint64_t first, uint64_t end)
{
    size_t next = edges_until(first);
    uint64_t most = next > 0 ? edges[next - 1].count : 0;

    for (; next < edge_count && edges[next].address < end; next++)
        if (edges[next].count > most)
            most = edges[next].count;
    return most;
}
