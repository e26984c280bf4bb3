/* SPDX-License-Identifier: BSD-2-Clause */
/* See proof_visits.h. */
#include "tests/kernel/proof_visits.h"

#include "arch/memory.h"
#include "core/lib/string.h"
#include "kernel/memory/pages.h"

/* For each state, and each byte of the text. Kept for the next run. */
static uint8_t *visits[VISITS_STATES];

static size_t text_size(void)
{
    return arch_text_end() - arch_text_start();
}

bool visits_start(void)
{
    for (unsigned state = 0; state < VISITS_STATES; state++) {
        if (!visits[state])
            visits[state] = pages_alloc(pages_order(text_size() / PAGE_SIZE + 1));
        if (!visits[state])
            return false;
        memset(visits[state], 0, text_size());
    }
    return true;
}

unsigned visits_add(size_t traps, uintptr_t ip)
{
    size_t state = traps < VISITS_STATES ? traps : VISITS_STATES - 1;
    uint8_t *count = &visits[state][ip - arch_text_start()];

    if (*count < UINT8_MAX)
        ++*count;
    return *count;
}

bool visits_were_at(uintptr_t ip)
{
    for (unsigned state = 0; state < VISITS_STATES; state++)
        if (visits[state][ip - arch_text_start()] > 0)
            return true;
    return false;
}

uint64_t visits_addresses(void)
{
    uint64_t addresses = 0;

    for (size_t at = 0; at < text_size(); at++)
        addresses += visits_were_at(arch_text_start() + at);
    return addresses;
}

uint64_t visits_places(void)
{
    uint64_t places = 0;

    for (unsigned state = 0; state < VISITS_STATES; state++)
        for (size_t at = 0; at < text_size(); at++)
            places += visits[state][at] > 0;
    return places;
}
