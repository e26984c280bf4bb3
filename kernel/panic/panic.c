/* SPDX-License-Identifier: BSD-2-Clause */
/* See panic.h. */
#include "kernel/panic/panic.h"

#include <stdarg.h>

#include "arch/cpu.h"
#include "arch/snapshot.h"
#include "arch/unwind.h"
#include "arch/watch.h"
#include "core/lib/assert.h"
#include "core/lib/print.h"
#include "core/pitot.h"
#include "kernel/hit/print_guard.h"
#include "kernel/x86_64/fault.h"
#include "kernel/x86_64/smp.h"

#define REASON_SIZE 320

static struct panic_machine machine; /* set at boot */
static uint32_t reporter;            /* [A] the CPU that reports, + 1; 0: none */
static unsigned level;               /* [reporter] nesting depth of failures: see stop */
static char about[REASON_SIZE] = "its reason was not known yet"; /* [reporter] the reason. Not on a
                                                          * stack: a second failure may reuse it */

#define LEVEL_SPEAKS 2 /* the last level that prints */
#define LEVEL_STOPS  3 /* the last level that asks the machine to stop */

static void print_line(const char *text)
{
    print("%s\n", text);
}

void panic_print_chain(const struct regs *regs)
{
    struct pitot_chain chain;

    pitot_chain_take(&chain, regs);
    pitot_chain_print(&chain);
}

/*
 * A failure during a report does less at each level: the first failure reports; the second prints
 * that the report failed; the third stops the machine; the fourth stops only this CPU.
 */
static _Noreturn void stop(void)
{
    if (level <= LEVEL_STOPS && machine.stop)
        machine.stop();
    arch_halt();
}

static void say_failed(struct sink *to)
{
    if (to)
        print_to(to, "Pitot stopped: failure inside the report of a failure: %s\n", about);
}

/* Uses the machine's own console first: the output of print(), such as gdb, may be what failed. */
static _Noreturn void stop_in_report(void)
{
    if (++level <= LEVEL_SPEAKS) {
        print_guard_break();
        if (machine.limit_waits)
            machine.limit_waits();
        say_failed(machine.console);
        if (print_console() != machine.console)
            say_failed(print_console());
    }
    stop();
}

/* The first CPU that fails reports and halts all others; a CPU that fails meanwhile halts. */
static void begin(void)
{
    uint32_t me = arch_cpu_id() + 1, nobody = 0;

    arch_irq_save();
    arch_watch_disarm();
    if (!__atomic_compare_exchange_n(&reporter, &nobody, me, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED) &&
        nobody != me)
        arch_halt();
    if (level > 0)
        stop_in_report();
    level = 1;
    arch_cpus_halt();
    arch_watch_disarm(); /* again: if this CPU was parked, its watches were armed as it resumed */
    print_guard_break();
    pitot_panic_begin();
    if (machine.limit_waits)
        machine.limit_waits();
}

static _Noreturn void report(const char *reason, const struct regs *regs)
{
    struct regs dead = *regs; /* no CPU returns to it, so gdb may write to it */
    char end[REASON_SIZE + 16];

    print_into(about, sizeof(about), "%s", reason);
    print("\nPANIC: %s\n", reason);
    print_into(end, sizeof(end), "the panic \"%s\"", reason);
    pitot_boot_ends(end);
    arch_regs_describe(regs, print_line);
    print("call chain:\n");
    panic_print_chain(regs);
    pitot_samples_print();
    pitot_panic_end();
    pitot_gdb_stop(&dead);
    if (++level <= LEVEL_SPEAKS)
        print("Pitot stopped: %s\n", reason);
    stop();
}

_Noreturn void panic(const char *format, ...)
{
    char reason[REASON_SIZE];
    struct regs regs;
    va_list arguments;

    REGS_SNAPSHOT(&regs);
    begin();
    va_start(arguments, format);
    if (print_list_into(reason, sizeof(reason), format, arguments) >= sizeof(reason))
        print_cut(reason, sizeof(reason));
    va_end(arguments);
    report(reason, &regs);
}

/* Returns the current stack if the fault touched its guard page; otherwise NULL. */
static const struct arch_stack *overflowed_stack(const struct regs *regs,
                                                 const struct arch_fault *fault)
{
    const struct arch_stack *stack = arch_stack_find(regs->sp);

    if (!stack || !fault->has_address || fault->address < stack->guard ||
        fault->address >= stack->low)
        return NULL;
    return stack;
}

static void describe_fault(const struct regs *regs, char *reason, size_t size)
{
    struct arch_fault fault;
    const struct arch_stack *overflowed;
    char place[96];
    size_t length;

    arch_fault_describe(regs, &fault);
    pitot_describe(regs->ip, place, sizeof(place));
    overflowed = overflowed_stack(regs, &fault);
    if (overflowed && overflowed->thread)
        print_into(reason, size, "stack overflow: the stack of %s ran out in %s",
                   overflowed->thread, place);
    else if (overflowed)
        print_into(reason, size, "stack overflow: the %s stack ran out in %s", overflowed->name,
                   place);
    if (overflowed)
        return;
    length = print_into(reason, size, "%s at %s", fault.name, place);
    if (fault.has_address)
        length += print_into(reason + length, size - length, ", address 0x%lx",
                             (unsigned long)fault.address);
    if (fault.detail[0])
        print_into(reason + length, size - length, " (%s)", fault.detail);
}

static void panic_on_fault(struct regs *regs)
{
    char reason[REASON_SIZE];

    begin();
    describe_fault(regs, reason, sizeof(reason));
    report(reason, regs);
}

void panic_init(const struct panic_machine *with)
{
    machine = *with;
    arch_set_fault_handler(panic_on_fault);
}

/* --- Without a report. --- */

void power_request(enum pitot_power state)
{
    if (state == PITOT_POWER_RESET)
        pitot_boot_ends("a reboot that was asked for");
    if (machine.power)
        machine.power(state);
}

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    panic("assertion failed: %s, %s:%d", claim, file, line);
}
