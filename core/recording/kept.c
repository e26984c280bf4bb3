/* SPDX-License-Identifier: BSD-2-Clause */
/* See kept.h. */
#include "core/recording/kept.h"

#include "arch/cpu.h"
#include "arch/local.h"
#include "core/host.h"
#include "core/lib/crc32.h"
#include "core/lib/print.h"
#include "core/lib/string.h"

ARCH_KEPT_FIRST struct kept kept;

static void *memory(size_t *bytes)
{
    *bytes = 0;
    return host.memory_kept ? host.memory_kept(bytes) : NULL;
}

uint32_t kept_head_crc(const struct kept_head *head)
{
    const uint8_t *rest = head->build_id;

    return crc32_update(0, rest, (size_t)((const uint8_t *)(head + 1) - rest));
}

void *kept_rings(unsigned count, uint64_t size)
{
    size_t bytes;
    void *start = memory(&bytes);

    return start && count > 0 && size <= bytes / count ? start : NULL;
}

bool kept_has(const void *place)
{
    size_t bytes;
    void *start = memory(&bytes);

    return start && (uintptr_t)place - (uintptr_t)start < bytes;
}

void kept_drop(void)
{
    *(volatile uint64_t *)&kept.head.magic = 0;
    local_barrier(); /* the magic is cleared before anything that it describes changes */
}

void kept_hold(const struct ring *rings, unsigned count, const struct event *events,
               unsigned event_count)
{
    struct kept_head *head = &kept.head;
    size_t bytes;
    void *start = memory(&bytes);

    if (!start)
        return;
    kept_drop();
    *head = (struct kept_head){.version = KEPT_VERSION,
                               .event_count = event_count,
                               .memory = (uintptr_t)start,
                               .memory_size = bytes,
                               .ring_size = rings[0].size,
                               .ring_count = count,
                               .fits = rings[0].bytes == start,
                               .mode = rings[0].mode};
    memcpy(head->build_id, arch_build_id(), sizeof(head->build_id));
    memset(kept.events, 0, sizeof(kept.events));
    for (unsigned i = 0; i < event_count; i++)
        kept.events[i] = events[i].recorded;
    head->events_crc = crc32_update(0, kept.events, event_count * sizeof(kept.events[0]));
    head->crc = kept_head_crc(head);
    pitot_boot_ends("");
    local_barrier(); /* the magic comes last */
    *(volatile uint64_t *)&head->magic = KEPT_MAGIC;
}

void pitot_boot_ends(const char *words)
{
    memset(kept.end, 0, sizeof(kept.end));
    print_into(kept.end, sizeof(kept.end), "%s", words);
    kept.end_crc = crc32_update(0, kept.end, sizeof(kept.end));
}
