/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walks all page tables: nothing is writable and executable, text and rodata have no second
 * mapping, guard pages are holes.
 */
#include "arch/memory.h"
#include "kernel/x86_64/entry/stacks.h"
#include "kernel/x86_64/memory/image.h"
#include "tests/kernel/ktap.h"
#include "tests/kernel/leaves.h"

struct tally {
    uint64_t leaves, writable_and_executable, executable_outside_text, constant_aliases;
};

static bool overlaps_constant(const struct paging_leaf *leaf)
{
    uint64_t start = image_physical(_text), end = image_physical(rodata_end);

    return leaf->physical < end && leaf->physical + leaf->size > start;
}

static void tally_leaf(const struct paging_leaf *leaf, struct tally *tally)
{
    bool writable = leaf->flags & PTE_WRITABLE, executable = !(leaf->flags & PTE_NX);
    bool in_constant =
        leaf->address >= (uintptr_t)_text && leaf->address + leaf->size <= (uintptr_t)rodata_end;

    tally->leaves++;
    tally->writable_and_executable += writable && executable;
    tally->executable_outside_text +=
        executable && !(leaf->address >= (uintptr_t)_text &&
                        leaf->address + leaf->size <= (uintptr_t)rodata_start);
    tally->constant_aliases += overlaps_constant(leaf) && (writable || !in_constant);
}

static void claim_walk(void)
{
    struct tally tally = {0};
    struct paging_leaf leaf;

    for (uintptr_t at = 0; leaves_next(leaves_of_kernel(), at, &leaf);
         at = leaf.address + leaf.size) {
        tally_leaf(&leaf, &tally);
        if (leaf.address + leaf.size == 0)
            break;
    }
    ktap_ok(tally.leaves > 100, "the walk finds mappings");
    ktap_equal(tally.writable_and_executable, 0, "no page is writable and executable");
    ktap_equal(tally.executable_outside_text, 0, "only text is executable");
    ktap_equal(tally.constant_aliases, 0, "text and rodata have no writable page and no alias");
}

static void claim_holes(void)
{
    ktap_ok(!arch_mapped(0, 1), "address 0 is not mapped");
    ktap_ok(!arch_mapped((uintptr_t)stack_task.guard, 1) &&
                !arch_mapped((uintptr_t)stack_task.bytes - 1, 1),
            "the page below the task stack is not mapped");
    for (unsigned i = 0; i < IST_COUNT; i++)
        ktap_ok(!arch_mapped((uintptr_t)stack_ist[i].guard, 1), "nor is the one below IST %u",
                i + 1);
    ktap_ok(!arch_mapped((uintptr_t)stack_task.bytes - 4, 8),
            "a range that reaches into a hole is not mapped");
    ktap_ok(arch_mapped((uintptr_t)stack_task.bytes, STACK_SIZE), "a whole stack is");
    ktap_ok(!arch_mapped((uintptr_t)direct_address(image_physical(_text)), 1),
            "the image is not in the map of all memory");
}

static void claim_rights(void)
{
    ktap_ok(arch_executable((uintptr_t)_text), "text is executable");
    ktap_ok(!arch_executable((uintptr_t)rodata_start), "rodata is not");
    ktap_ok(!arch_executable((uintptr_t)data_start), "data is not");
    ktap_ok(!arch_canonical(1ull << 47), "the lowest non-canonical address is known as such");
    ktap_ok(arch_canonical((1ull << 47) - 1), "... and the one below it as canonical");
}

static void paging_claims(void)
{
    claim_walk();
    claim_holes();
    claim_rights();
}

KTAP_SUITE(paging, "page tables: W^X, no aliases, guard pages");
