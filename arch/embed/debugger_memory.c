/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces kernel/x86_64/memory/stop_memory.c, for what `mapped` reports as memory. In a
 * stop.
 */
#include "arch/debugger.h"
#include "arch/embed.h"
#include "arch/memory.h"
#include "arch/x86_64/cpu/cpu.h"

/* Excludes the last byte of all: the kernel may compute the address after a byte. */
static bool is_there(uintptr_t address)
{
    return arch_canonical(address) && address + 1 != 0 && arch_mapped(address, 1);
}

size_t arch_debug_read(uintptr_t address, uint8_t *to, size_t length)
{
    size_t done = 0;

    while (done < length && is_there(address + done)) {
        to[done] = *(const volatile uint8_t *)(address + done);
        done++;
    }
    return done;
}

/* The kernel does not report read-only pages, so write protection is briefly off. */
bool arch_debug_write(uintptr_t address, const uint8_t *from, size_t length)
{
    uint64_t cr0 = cpu_read_cr0();

    if (cpu_read_cr4() & CR4_CET)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!is_there(address + i) || arch_executable(address + i))
            return false;
    cpu_write_cr0(cr0 & ~CR0_WP);
    for (size_t i = 0; i < length; i++)
        *(volatile uint8_t *)(address + i) = from[i];
    cpu_write_cr0(cr0);
    return true;
}

/* The trap enters through the kernel's own gate, and could come in the middle of a hit. */
bool arch_breakpoint_is_instruction(void)
{
    return false;
}

/* Which functions the kernel's debug traps call, only the kernel knows. */
enum arch_seen arch_execution_seen(uintptr_t address)
{
    return arch_embed_in_gate(address) ? ARCH_SEEN_ENTRY : ARCH_SEEN_ALWAYS;
}

const char *arch_breakpoint_write(uintptr_t address, uint8_t *old)
{
    (void)address, (void)old;
    return "registers stand in for breakpoint instructions";
}

void arch_breakpoint_restore(uintptr_t address, uint8_t old)
{
    (void)address, (void)old;
}
