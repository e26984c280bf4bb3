/* SPDX-License-Identifier: BSD-2-Clause */
/* A debugger's memory accesses. In a stop, which must not fault: each page is looked up first. */
#include "arch/debugger.h"
#include "arch/site.h"
#include "kernel/x86_64/memory/image.h"
#include "kernel/x86_64/memory/paging.h"

#define INT3 0xcc

/*
 * Returns where to access `address`, and limits *length to its page; NULL if the access is not
 * allowed or the page is a device's. SMAP forbids a program's pages, so they are accessed through
 * the map of all memory.
 */
static uint8_t *find_bytes(uintptr_t address, bool writes, size_t *length)
{
    struct paging_leaf leaf;
    size_t rest;

    if (!paging_find(address, &leaf) || !paging_is_memory(&leaf) ||
        (writes && !(leaf.flags & PTE_WRITABLE)))
        return NULL;
    rest = leaf.address + leaf.size - address;
    if (*length > rest)
        *length = rest;
    if (leaf.flags & PTE_USER)
        return (uint8_t *)direct_address(leaf.physical) + (address - leaf.address);
    return (uint8_t *)address;
}

size_t arch_debug_read(uintptr_t address, uint8_t *to, size_t length)
{
    size_t done = 0;

    while (done < length) {
        size_t part = length - done;
        const volatile uint8_t *from = find_bytes(address + done, false, &part);

        if (!from)
            break;
        for (size_t i = 0; i < part; i++)
            to[done + i] = from[i];
        done += part;
    }
    return done;
}

bool arch_debug_write(uintptr_t address, const uint8_t *from, size_t length)
{
    for (int pass = 0; pass < 2; pass++) {
        for (size_t done = 0; done < length;) {
            size_t part = length - done;
            volatile uint8_t *to = find_bytes(address + done, true, &part);

            if (!to)
                return false;
            for (size_t i = 0; pass == 1 && i < part; i++)
                to[i] = from[done + i];
            done += part;
        }
    }
    return true;
}

static bool is_text(uintptr_t address)
{
    return address >= (uintptr_t)_text && address < (uintptr_t)_etext;
}

bool arch_breakpoint_is_instruction(void)
{
    return true;
}

enum arch_seen arch_execution_seen(uintptr_t address)
{
    if (nowatch_text_has(address))
        return ARCH_SEEN_ENTRY;
    if (section_overlaps(unseen_text_start, unseen_text_end, address, 1))
        return ARCH_SEEN_NEVER;
    return section_overlaps(hit_text_start, hit_text_end, address, 1) ? ARCH_SEEN_OUTSIDE
                                                                      : ARCH_SEEN_ALWAYS;
}

const char *arch_breakpoint_write(uintptr_t address, uint8_t *old)
{
    static const uint8_t int3 = INT3;

    if (arch_debug_read(address, old, 1) == 0)
        return "no memory is mapped there";
    if (is_text(address))
        arch_text_write(address, &(uint8_t){INT3}, 1);
    else if (!arch_debug_write(address, &int3, 1))
        return "it cannot be written";
    return NULL;
}

/* Cannot fail: the breakpoint was written there. */
void arch_breakpoint_restore(uintptr_t address, uint8_t old)
{
    if (is_text(address))
        arch_text_write(address, &old, 1);
    else
        arch_debug_write(address, &old, 1);
}
