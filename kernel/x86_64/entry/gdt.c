/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds and loads one CPU's segments. Once per CPU, interrupts off, before the IDT is loaded. */
#include "kernel/x86_64/entry/gdt.h"

#include "arch/x86_64/cpu/regs.h"

/* Access bytes and flags of Intel SDM vol. 3, "Segment Descriptors". */
#define DESCRIPTOR_KERNEL_CODE 0x00af9b000000ffffull /* present, ring 0, code, readable, 64-bit */
#define DESCRIPTOR_KERNEL_DATA 0x00cf93000000ffffull /* present, ring 0, data, writable */
#define DESCRIPTOR_USER_DATA   0x00cff3000000ffffull /* present, ring 3, data, writable */
#define DESCRIPTOR_USER_CODE   0x00affb000000ffffull /* present, ring 3, code, readable, 64-bit */
#define DESCRIPTOR_TSS         0x0000890000000000ull /* present, ring 0, available 64-bit TSS */

void gdt_load(struct gdt *gdt, struct tss *tss)
{
    uint64_t base = (uintptr_t)tss, limit = sizeof(*tss) - 1;
    struct table_pointer pointer = {sizeof(*gdt) - 1, (uintptr_t)gdt};

    *gdt = (struct gdt){{0}};
    gdt->entry[KERNEL_CODE_SELECTOR / 8] = DESCRIPTOR_KERNEL_CODE;
    gdt->entry[KERNEL_DATA_SELECTOR / 8] = DESCRIPTOR_KERNEL_DATA;
    gdt->entry[USER_DATA_SELECTOR / 8] = DESCRIPTOR_USER_DATA;
    gdt->entry[USER_CODE_SELECTOR / 8] = DESCRIPTOR_USER_CODE;
    gdt->entry[TSS_SELECTOR / 8] =
        DESCRIPTOR_TSS | limit | (base & 0xffffff) << 16 | (base >> 24 & 0xff) << 56;
    gdt->entry[TSS_SELECTOR / 8 + 1] = base >> 32;
    tss->io_map_base = sizeof(*tss); /* past the limit: no I/O map */
    __asm__ volatile("lgdt %0\n\t"
                     "mov %w1, %%ds\n\t"
                     "mov %w1, %%es\n\t"
                     "mov %w1, %%ss\n\t"
                     "lldt %w3\n\t" /* the firmware may have left an LDT with user segments */
                     "ltr %w2"
                     :
                     : "m"(pointer), "r"(KERNEL_DATA_SELECTOR), "r"(TSS_SELECTOR), "r"(0)
                     : "memory");
}
