/* SPDX-License-Identifier: BSD-2-Clause */
/* See leaves.h. */
#include "tests/kernel/leaves.h"

#include "kernel/x86_64/memory/image.h"

#define SPAN(level) ((uint64_t)4096 << 9 * (level))
#define UPPER_HALF  0xffff800000000000u

static bool leaves_find(const uint64_t *root, uintptr_t address, struct paging_leaf *leaf,
                        uint64_t *span)
{
    const uint64_t *table = root;
    uint64_t nx = 0, writable = PTE_WRITABLE;

    for (unsigned level = 3;; level--) {
        uint64_t entry = table[address / SPAN(level) % 512];

        *span = SPAN(level);
        if (!(entry & PTE_PRESENT))
            return false;
        nx |= entry & PTE_NX;
        writable &= entry;
        if (level == 0 || (level < 3 && entry & PTE_LARGE)) {
            *leaf = (struct paging_leaf){
                .address = address & ~(*span - 1),
                .physical = entry & PTE_ADDRESS & ~(*span - 1),
                .size = *span,
                .flags = (entry & ~(PTE_ADDRESS | PTE_WRITABLE)) | nx | writable,
            };
            return true;
        }
        table = direct_address(entry & PTE_ADDRESS);
    }
}

bool leaves_next(const uint64_t *root, uintptr_t address, struct paging_leaf *leaf)
{
    uint64_t span;

    do {
        if (address >= SPAN(4) / 2 && address < UPPER_HALF)
            address = UPPER_HALF;
        if (leaves_find(root, address, leaf, &span))
            return true;
        address = (address | (span - 1)) + 1;
    } while (address != 0);
    return false;
}

const uint64_t *leaves_of_kernel(void)
{
    return direct_address(paging_root());
}
