/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Handles a program's fault: prints its cause, place and registers, and ends the program with the
 * signal that Linux would send. Runs in the program's thread; interrupts stay off until CR2 is
 * read, because the next fault overwrites it.
 */
#include <linux/signal.h>

#include "arch/registers.h"
#include "core/lib/print.h"
#include "kernel/user/process.h"
#include "kernel/x86_64/fault.h"

/* Signals, indexed by exception number; 0 means SIGILL. */
static const uint8_t signals[32] = {
    [0] = SIGFPE,   [1] = SIGTRAP,  [3] = SIGTRAP, [7] = SIGFPE,  [11] = SIGBUS, [12] = SIGBUS,
    [13] = SIGSEGV, [14] = SIGSEGV, [16] = SIGFPE, [17] = SIGBUS, [19] = SIGFPE,
};

static void print_registers(const struct regs *regs)
{
    for (unsigned i = 0; i < ARCH_GENERAL_REGISTERS; i++)
        print("  %3s %016lx%s", arch_general_names[i], (unsigned long)arch_register(regs, i),
              i % 4 == 3 ? "\n" : "");
}

/* Writes a place such as "/bin/fs-load + 0x123", with the offset in the file, as in perf's map. */
static void describe_place(const struct process *process, uintptr_t ip, char *text, size_t size)
{
    print_into(text, size, "nowhere");
    for (unsigned i = 0; i < process->mapping_count; i++) {
        const struct process_mapping *mapping = &process->mapping[i];

        if (ip - mapping->base < mapping->size)
            print_into(text, size, "%s + 0x%lx", mapping->name,
                       (unsigned long)(ip - mapping->base + mapping->offset));
    }
}

void process_fault(struct regs *regs)
{
    const struct process *process = process_current();
    uint8_t signal = signals[regs->vector] ? signals[regs->vector] : SIGILL;
    char place[FS_PATH_MAX + 24], address[32] = "", detail[170] = "";
    struct arch_fault fault;

    arch_fault_describe(regs, &fault);
    arch_irq_enable();
    describe_place(process, regs->ip, place, sizeof(place));
    if (fault.has_address)
        print_into(address, sizeof(address), ", address 0x%lx", (unsigned long)fault.address);
    if (fault.detail[0])
        print_into(detail, sizeof(detail), " (%s)", fault.detail);
    print("%s (pid %u) killed by signal %u: %s at 0x%lx, %s%s%s\n", process->thread->name,
          process->pid, signal, fault.name, (unsigned long)regs->ip, place, address, detail);
    print_registers(regs);
    process_exit((struct process_end){.signal = signal});
}
