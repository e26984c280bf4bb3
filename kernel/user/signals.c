/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What signals do to a program, and its faults, which end it with the signal that Linux would send.
 * A stopped or sleeping program waits in its process's `events`, so a kill has to wake only that
 * queue.
 */
#include <linux/signal.h>

#include "arch/regs.h"
#include "core/lib/print.h"
#include "kernel/time/timer.h"
#include "kernel/user/process.h"
#include "kernel/x86_64/fault.h"

ARCH_HIT_TEXT static bool is_stopping(uint8_t signal)
{
    return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

ARCH_HIT_TEXT void signal_mark(struct process *process, uint8_t signal)
{
    uint8_t none = 0;

    if (is_stopping(signal))
        __atomic_store_n(&process->stopped_by, signal, __ATOMIC_RELEASE);
    else if (signal == SIGCONT)
        __atomic_store_n(&process->stopped_by, 0, __ATOMIC_RELEASE);
    else
        __atomic_compare_exchange_n(&process->killed_by, &none, signal, false, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED);
}

static void stand(struct process *process)
{
    uint64_t flags = wait_queue_lock(&process->events);

    while (signal_stops(process) && !signal_ends(process))
        flags = wait_queue_sleep(&process->events, flags);
    thread_current()->stopped = false;
    wait_queue_unlock(&process->events, flags);
}

/* Prints before it notifies the console, so that the message precedes the prompt. */
void signal_stand(struct process *process)
{
    arch_irq_enable();
    print("%s (pid %u): stopped by signal %u\n", process->thread->name, process->pid,
          signal_stops(process));
    thread_current()->stopped = true;
    process_tell_console(process);
    stand(process);
    arch_irq_save();
}

/* Interrupt context. */
static void wake(void *data)
{
    struct process *process = data;

    wait_queue_wake_all(&process->events);
}

static bool is_over(const struct process *process, uint64_t until_ns, bool (*holds)(void *data),
                    void *data)
{
    return signal_ends(process) || arch_clock_ns() >= until_ns || (holds && holds(data));
}

bool process_sleep(uint64_t until_ns, bool (*holds)(void *data), void *data)
{
    struct process *process = process_current();
    struct timer timer = {.function = wake, .data = process};
    uint64_t now = arch_clock_ns(), flags;

    if (until_ns != UINT64_MAX && until_ns > now)
        timer_start(&timer, until_ns - now, 0);
    flags = wait_queue_lock(&process->events);
    while (!is_over(process, until_ns, holds, data)) {
        thread_current()->stopped = signal_stops(process);
        flags = wait_queue_sleep(&process->events, flags);
    }
    thread_current()->stopped = false;
    wait_queue_unlock(&process->events, flags);
    timer_cancel(&timer);
    return signal_ends(process) == 0;
}

/*
 * --- Faults: prints cause, place and registers. In the program's thread; interrupts stay off until
 * CR2 is read, because the next fault overwrites it. ---
 */

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
