/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel's entries do with each of a program's flags, and whether they recognise whose GS
 * is loaded: at the first instruction of `syscall`, in exception handlers, and in a machine check,
 * which may arrive while the kernel runs with a program's GS. The program is programs/attack.
 */
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/entry/trap.h"
#include "core/breakpoint/breakpoint.h"
#include "kernel/panic/panic.h"
#include "kernel/syscall/syscalls.h"
#include "kernel/user/process.h"
#include "kernel/x86_64/cpu/percpu.h"
#include "kernel/x86_64/entry/user.h"
#include "kernel/x86_64/fault.h"
#include "kernel/x86_64/user.h"
#include "tests/kernel/ktap.h"

/* tests/kernel/entries.asm */
uint64_t entries_check(uint64_t flags);
uint64_t entries_check_of_program(uint64_t flags);
_Noreturn void entries_come_back(uint64_t value);

#define HARMFUL (FLAGS_DIRECTION | FLAGS_NESTED | FLAGS_ALIGNMENT)

static struct process_end run(const char *attack, const char *number)
{
    char *argv[] = {(char *)"attack", (char *)attack, (char *)number};
    struct process *process;
    struct refusal why;

    if (process_spawn("/bin/attack", number ? 3 : 2, argv, NULL, &process, &why))
        panic("%s", why.text);
    return process_wait(process);
}

/* --- `syscall` -------------------------------------------------------------------------------- */

static uint64_t had, kept; /* by a program before `syscall`; at the entry */

/* Runs in the debug trap, before the entry's first instruction. */
static void at_entry(unsigned fired, struct regs *regs)
{
    (void)fired;
    had |= regs->r11;
    kept |= regs->flags;
}

static void claim_flag(uint64_t flag, const char *name)
{
    ktap_ok(had & flag && !(kept & flag), "a program's %s is off where `syscall` comes out", name);
}

static void claim_syscall(void)
{
    const struct arch_watch entry = {(uintptr_t)syscall_entry, 1, ARCH_EXECUTE};
    struct process_end storm, step;

    had = kept = 0;
    arch_watch_disarm();
    arch_watch_set_handler(at_entry);
    arch_watch_arm(&entry, 1);
    storm = run("storm", "16");
    step = run("trap_flag_syscall", NULL);
    arch_watch_disarm();
    arch_watch_arm(NULL, 0);
    breakpoint_init();
    ktap_ok(storm.signal == 0 && storm.code == 0 && step.signal == 5, "calls with all flags set");
    claim_flag(FLAGS_TRAP, "TF");
    claim_flag(FLAGS_INTERRUPT, "IF");
    claim_flag(FLAGS_DIRECTION, "DF");
    claim_flag(FLAGS_NESTED, "NT");
    claim_flag(FLAGS_ALIGNMENT, "AC");
}

/* --- Exceptions ------------------------------------------------------------------------------- */

static struct {
    uint64_t vector, of_program, of_kernel;
} fault;

static uint64_t own_flags(void)
{
    uint64_t flags;

    __asm__ volatile("pushfq\n\tpopq %0" : "=r"(flags));
    return flags;
}

static void note_fault(struct regs *regs)
{
    fault.of_kernel = own_flags();
    fault.of_program = regs->flags;
    fault.vector = regs->vector;
    process_fault(regs);
}

static void nothing(struct regs *regs)
{
    (void)regs;
}

static void claim_exception(const char *attack, uint64_t vector, const char *entry)
{
    fault.of_program = 0;
    run(attack, NULL);
    ktap_ok(fault.vector == vector && (fault.of_program & HARMFUL) == HARMFUL,
            "a program has DF, NT and AC set, and comes to %s", entry);
    ktap_equal(fault.of_kernel & (HARMFUL | FLAGS_TRAP), 0, "... which has not");
}

static void claim_exceptions(void)
{
    static const struct arch_user_handlers noting = {syscall_dispatch, note_fault, nothing};

    arch_user_set_handlers(&noting);
    claim_exception("flags_ud2", 6, "trap_entry");
    claim_exception("flags_int3", VECTOR_BREAKPOINT, "break_entry");
    claim_exception("flags_step", VECTOR_DEBUG, "watch_entry");
    process_init();
}

/* --- Machine checks --------------------------------------------------------------------------- */

static unsigned checks;

/* Runs on the machine check's page, watches disarmed. */
static _Noreturn void note_check(struct regs *regs)
{
    checks += regs->vector == VECTOR_MACHINE_CHECK && arch_cpu_id() == 0;
    entries_come_back(own_flags());
}

static void claim_check(uint64_t (*check)(uint64_t flags), const char *whose)
{
    uint64_t irq = arch_irq_save(), flags;
    arch_fault_handler *before = arch_set_fault_handler(note_check);

    checks = 0;
    flags = check(FLAGS_FIXED | HARMFUL);
    arch_set_fault_handler(before);
    arch_watch_arm(NULL, 0);
    arch_irq_restore(irq);
    breakpoint_init();
    ktap_equal(checks, 1, "a machine check is served while GS is %s", whose);
    ktap_ok(cpu_read_msr(MSR_GS_BASE) == (uintptr_t)percpu_self() &&
                cpu_read_msr(MSR_KERNEL_GS_BASE) == 0,
            "... and is the kernel's then");
    ktap_equal(flags & HARMFUL, 0, "... without the flags of what it came upon");
}

static void entries_claims(void)
{
    claim_syscall();
    claim_exceptions();
    claim_check(entries_check, "the kernel's");
    claim_check(entries_check_of_program, "a program's");
}

KTAP_SUITE(entries, "the entries' flags and GS, one by one");
