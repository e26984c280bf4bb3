/* SPDX-License-Identifier: BSD-2-Clause */
/* See rings.h. */
#include "core/recording/rings.h"

#include "arch/cpu.h"
#include "arch/local.h"
#include "core/host.h"
#include "core/lib/print.h"

/* Clears the table's entry first, for a report in an NMI that comes in between. */
void recording_rings_give(struct ring *rings)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        void *bytes = rings[cpu].bytes;
        uint64_t size = rings[cpu].size;

        rings[cpu] = (struct ring){.bytes = NULL}; /* also clears the counters */
        local_barrier();
        if (bytes && !kept_has(bytes))
            host.memory_give(bytes, size);
    }
}

void *recording_take(size_t bytes, const char *what, struct refusal *why)
{
    struct refusal missing = {"Pitot's host provides no memory"};
    void *memory = host.memory_take ? host.memory_take(bytes, &missing) : NULL;

    if (!memory)
        refuse(why, ENOMEM, "%s: %s", what, missing.text);
    return memory;
}

/* `place`: address of the ring's bytes; NULL: anywhere. */
static int ring_take(struct ring *ring, const struct recording_options *options, void *place,
                     struct refusal *why)
{
    enum ring_mode mode = options->overwrite ? RING_OVERWRITE : RING_NORMAL;
    uint64_t size = options->ring_size;
    char what[64];
    void *memory;
    int error = ring_init(ring, NULL, size, mode, false, why);

    if (error)
        return error;
    print_into(what, sizeof(what), "a ring of %llu bytes for each CPU", (unsigned long long)size);
    memory = place ? place : recording_take(size, what, why);
    if (!memory)
        return -ENOMEM;
    return ring_init(ring, memory, size, mode, false, why);
}

int recording_rings_take(struct ring *rings, const struct recording_options *options,
                         struct refusal *why)
{
    uint8_t *start = kept_rings(arch_cpus(), options->ring_size);

    kept_drop();
    recording_rings_give(rings);
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        int error =
            ring_take(&rings[cpu], options, start ? start + cpu * options->ring_size : NULL, why);

        if (error) {
            recording_rings_give(rings);
            return error;
        }
    }
    return 0;
}
