/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs, memory, text and stacks as the embedding kernel reports them. Any context. */
#include "arch/cpu.h"
#include "arch/debugger.h"
#include "arch/embed.h"
#include "arch/memory.h"
#include "arch/site.h"
#include "arch/unwind.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/memory/sections.h"
#include "core/abi/symtab.h"
#include "core/host.h"

NOWATCH_DATA struct percpu percpu[ARCH_CPUS_MAX];
NOWATCH_DATA uintptr_t embed_programs = 1, embed_programs_end = 1;
NOWATCH_DATA uintptr_t embed_gate, embed_gate_size; /* for debug_entry.asm */

void arch_embed_init(void)
{
    embed_gate = (uintptr_t)host.gate;
    embed_gate_size = (uintptr_t)host.gate_end - (uintptr_t)host.gate;
    if (host.programs_end) {
        embed_programs = (uintptr_t)host.programs;
        embed_programs_end = (uintptr_t)host.programs_end;
    }
    for (unsigned cpu = 0; cpu < ARCH_CPUS_MAX; cpu++) {
        percpu[cpu].self = &percpu[cpu];
        percpu[cpu].cpu = cpu;
        percpu[cpu].runs = cpu < arch_cpus();
    }
}

bool arch_embed_in_gate(uintptr_t address)
{
    return address >= (uintptr_t)host.gate && address < (uintptr_t)host.gate_end;
}

bool arch_embed_is_trap(uintptr_t address)
{
    for (unsigned i = 0; i < host.trap_count; i++)
        if ((uintptr_t)host.traps[i] == address)
            return true;
    return false;
}

unsigned arch_cpus(void)
{
    return ARCH_CPUS_MAX > 1 && host.cpus ? host.cpus : ARCH_CPUS_MAX;
}

bool arch_cpu_runs(unsigned cpu)
{
    return percpu[cpu].runs;
}

uintptr_t arch_text_start(void)
{
    return (uintptr_t)host.text;
}

uintptr_t arch_text_end(void)
{
    return (uintptr_t)host.text_end;
}

/* The kernel's trap entries are unknown. */
uintptr_t arch_text_plain_end(void)
{
    return (uintptr_t)host.text_end;
}

/* In the object of tools/pitot-tables; a kernel may have none. */
extern const char symtab_start[] __attribute__((weak));

static const struct symtab_header *symtab(void)
{
    return (const struct symtab_header *)symtab_start;
}

bool arch_embed_has_tables(void)
{
    return symtab() && symtab()->magic != 0;
}

static const uint8_t none[ARCH_BUILD_ID_SIZE];

/* The tables contain zeros if the kernel was linked without a build ID. */
const uint8_t *arch_embed_build_id(void)
{
    if (host.build_id)
        return host.build_id;
    if (!arch_embed_has_tables() ||
        __builtin_memcmp(symtab()->build_id, none, ARCH_BUILD_ID_SIZE) == 0)
        return NULL;
    return symtab()->build_id;
}

const uint8_t *arch_build_id(void)
{
    const uint8_t *known = arch_embed_build_id();

    return known ? known : none;
}

/* Memory that the kernel does not report counts as unmapped. */
bool arch_mapped(uintptr_t address, size_t length)
{
    return host.mapped && host.mapped(address, length);
}

bool arch_readable(uintptr_t address, size_t length)
{
    return arch_mapped(address, length);
}

bool arch_executable(uintptr_t address)
{
    return address >= arch_text_start() && address < arch_text_end();
}

/* A chain visits at most five stacks, and only a deeper trap can start another chain meanwhile. */
#define STACKS_KEPT 8
#define DEPTHS      3 /* task or interrupt, debug trap, NMI */

/* The stacks found last, at each trap depth. [owning CPU] */
static struct kept {
    struct arch_stack stack[STACKS_KEPT];
    unsigned next;
} kept[ARCH_CPUS_MAX][DEPTHS];

const struct arch_stack *arch_stack_find(uintptr_t address)
{
    unsigned long low, high;
    struct arch_stack *stack;
    struct kept *here;

    if (!host.stack || !host.stack(address, &low, &high))
        return NULL;
    here = &kept[arch_cpu_id()][arch_trap_depth()];
    for (unsigned i = 0; i < STACKS_KEPT; i++)
        if (here->stack[i].low == low && here->stack[i].high == high)
            return &here->stack[i];
    stack = &here->stack[here->next++ % STACKS_KEPT];
    *stack = (struct arch_stack){.name = "stack", .guard = low, .low = low, .high = high};
    return stack;
}

/* The kernel's entries have frames of their own, not struct regs. */
bool arch_is_trap_return(uintptr_t return_address)
{
    (void)return_address;
    return false;
}

/* The kernel's frames have no number of the trap. */
const char *arch_trap_name(const struct regs *regs)
{
    (void)regs;
    return NULL;
}

/*
 * --- The kernel's code is written where it lies, with write protection off. Interrupts off, all
 * other CPUs parked. ---
 */

static uint64_t cr0; /* to be restored */

void *arch_text_open(uintptr_t address)
{
    cr0 = cpu_read_cr0();
    if (!(cpu_read_cr4() & CR4_CET)) /* with it, WP stays */
        cpu_write_cr0(cr0 & ~CR0_WP);
    return (void *)address;
}

void arch_text_close(void)
{
    cpu_write_cr0(cr0);
}
