/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The border to user mode on a running machine: address spaces are W^X and separate from the
 * kernel's, which cannot touch them; chains end at the border; a watched stack segment does not
 * stop the kernel. The programs are those of the image.
 */
#include "arch/step.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/entry/trap.h"
#include "core/breakpoint/breakpoint.h"
#include "core/lib/string.h"
#include "core/symbols/symbols.h"
#include "core/unwind/unwind.h"
#include "kernel/hit/program.h"
#include "kernel/panic/panic.h"
#include "kernel/sched/preempt.h"
#include "kernel/user/process.h"
#include "kernel/x86_64/entry/user.h"
#include "kernel/x86_64/memory/image.h"
#include "kernel/x86_64/memory/paging.h"
#include "kernel/x86_64/user.h"
#include "tests/kernel/ktap.h"
#include "tests/kernel/leaves.h"

#define SIGKILL      9
#define SIGTRAP      5
#define PAGE_FETCHED (1u << 4)
#define TURNS_MOST   1000000

/* tests/kernel/user_touch.asm */
uint64_t user_touch(uintptr_t address);
uint64_t user_call(uintptr_t address);
extern const char user_touched[];

/* The program's registers at its entry into the kernel, at the top of its stack. */
static const struct regs *regs_of(const struct process *process)
{
    return (const struct regs *)process->thread->stack->high - 1;
}

/* Starts a program without which the suite cannot continue. */
static struct process *start(const char *name, const char *argument)
{
    char path[40], *argv[] = {path, (char *)argument};
    struct process *process;
    struct refusal why;

    print_into(path, sizeof(path), "/bin/%s", name);
    if (process_spawn(path, argument ? 2 : 1, argv, NULL, &process, &why))
        panic("%s", why.text);
    return process;
}

static struct process_end end(struct process *process)
{
    process_kill(process, SIGKILL);
    return process_wait(process);
}

/* --- Its state, and its chain ----------------------------------------------------------------- */

/* This machine has one CPU, so the program does not run meanwhile. */
static void walk(const struct process *process, enum unwind_method method, struct unwind *state,
                 uintptr_t *last)
{
    struct regs regs;

    arch_switched_regs(process->thread->sp, &regs);
    *last = 0;
    for (unwind_start_by(method, state, &regs); !unwind_done(state); unwind_next(state))
        *last = state->ip;
}

/* Lets others run until a system call, or an interrupt, has taken it out of user mode. */
static bool await_border(const struct process *process, bool in_call)
{
    struct unwind state;
    uintptr_t last;

    for (unsigned turn = 0; turn < TURNS_MOST; turn++) {
        walk(process, unwind_default(), &state, &last);
        if (state.end == UNWIND_USER && state.regs &&
            (state.regs->vector == REGS_SYSCALL) == in_call &&
            (!in_call || process->thread->state == THREAD_SLEEPING))
            return true;
        thread_yield();
    }
    return false;
}

static bool is_code_of(const struct process *process, uintptr_t address)
{
    for (unsigned i = 0; i < process->mapping_count; i++)
        if (process->mapping[i].access == ARCH_PAGE_EXECUTE &&
            address - process->mapping[i].base < process->mapping[i].size)
            return true;
    return false;
}

static void claim_chain_by(const struct process *process, enum unwind_method method,
                           const char *entry, const char *way)
{
    struct symbol symbol = {.name = "?"};
    struct unwind state;
    uintptr_t last;
    bool stands;

    if (!unwind_possible(method))
        return;
    preempt_off(); /* it does not run in between */
    walk(process, method, &state, &last);
    stands = state.end == UNWIND_USER && state.ip == state.regs->ip;
    preempt_on();
    symbols_find_address(last - 1, &symbol);
    ktap_equal(state.end, UNWIND_USER, "a chain %s is whole where the program was", way);
    ktap_ok(strcmp(symbol.name, entry) == 0, "... and its outermost frame is %s", entry);
    ktap_ok(state.regs == regs_of(process), "... behind which the program's registers are found");
    ktap_ok(stands && is_code_of(process, state.ip), "... standing in its code");
}

static void claim_chain(const struct process *process, const char *entry)
{
    claim_chain_by(process, UNWIND_BY_TABLE, entry, "by the table");
    claim_chain_by(process, UNWIND_BY_FRAME_POINTER, entry, "by frame pointers");
}

static void claim_chains(void)
{
    struct process *sleeper = start("calls", "sleep"), *spinner;

    ktap_ok(await_border(sleeper, true), "a program sleeps in a system call");
    claim_chain(sleeper, "syscall_entry");
    ktap_equal(end(sleeper).signal, SIGKILL, "... until it is killed");
    spinner = start("spin", NULL);
    ktap_ok(await_border(spinner, false), "another is interrupted in user mode");
    claim_chain(spinner, "trap_entry");
    ktap_equal(end(spinner).signal, SIGKILL, "... and killed there");
}

/* --- Memory ----------------------------------------------------------------------------------- */

struct tally {
    uint64_t leaves, both, executable, not_theirs, of_image;
};

static struct tally walk_space(const struct process *process)
{
    struct tally tally = {0};
    struct paging_leaf leaf;

    for (uintptr_t at = 0;
         leaves_next(process->space->entry, at, &leaf) && leaf.address < ARCH_USER_END;
         at = leaf.address + leaf.size) {
        bool executable = !(leaf.flags & PTE_NX);

        tally.leaves++;
        tally.both += leaf.flags & PTE_WRITABLE && executable;
        tally.executable += executable && !is_code_of(process, leaf.address);
        tally.not_theirs += !(leaf.flags & PTE_USER);
        tally.of_image +=
            leaf.physical < image_physical(image_end) && leaf.physical >= image_physical(_text);
    }
    return tally;
}

static size_t pages_of(const struct process *process)
{
    size_t pages = 0;

    for (unsigned i = 0; i < process->mapping_count; i++)
        pages += process->mapping[i].size / PAGE_SIZE;
    return pages;
}

static void claim_space(const struct process *process)
{
    const struct arch_space *kernel = direct_address(paging_root());
    struct tally tally = walk_space(process);
    struct paging_leaf leaf;
    uint64_t user = 0;

    ktap_equal(tally.leaves, pages_of(process), "a space maps its process and no more");
    ktap_equal(tally.both, 0, "no page of it is writable and executable");
    ktap_equal(tally.executable, 0, "only code is executable");
    ktap_equal(tally.not_theirs, 0, "all is the program's");
    ktap_equal(tally.of_image, 0, "none is the kernel's image");
    ktap_ok(memcmp(kernel->entry + 256, process->space->entry + 256, PAGE_SIZE / 2) == 0,
            "its upper half is the kernel's");
    for (uintptr_t at = 0;
         leaves_next(leaves_of_kernel(), at, &leaf) && leaf.address + leaf.size != 0;
         at = leaf.address + leaf.size)
        user += (leaf.flags & PTE_USER) != 0;
    ktap_equal(user, 0, "where no page is a program's");
}

static void claim_reads(const struct process *process)
{
    const struct regs *regs = regs_of(process);
    const struct arch_space *space = process->space;
    const uintptr_t bottom = process->stack & ~(PAGE_SIZE - 1);
    uint64_t argc = 0, more[2];

    ktap_ok(arch_user_read(space, process->stack, &argc, 8) && argc == 2,
            "its memory can be read: argc is 2");
    ktap_ok(arch_user_read(space, regs->sp, &argc, 8), "... its stack, too");
    ktap_ok(!arch_mapped(process->stack, 8), "though nothing is mapped there for the kernel");
    ktap_ok(!arch_user_read(space, (uintptr_t)_text, &argc, 8) &&
                !arch_user_read(space, DIRECT_BASE + 0x100000, &argc, 8) &&
                !arch_user_read(space, ARCH_USER_END - 4, &argc, 8) &&
                !arch_user_read(space, UINT64_MAX - 3, &argc, 8) &&
                !arch_user_read(space, 0, &argc, 8),
            "what is not its own cannot");
    ktap_ok(!arch_user_write(process->space, regs->ip, &argc, 1), "nor can its code be written");
    for (uintptr_t at = bottom; arch_user_read(space, at, &argc, 8);)
        at -= PAGE_SIZE;
    ktap_ok(!arch_user_read(space, bottom - 65536 - 8, more, 16), "its stack ends in a hole");
}

/* --- The kernel in a program's space ---------------------------------------------------------- */

static uint64_t faulted_error;

/* With interrupts off. A call that failed has left its return address. */
static void go_on(struct regs *regs)
{
    faulted_error = regs->error;
    if (regs->error & PAGE_FETCHED) {
        regs->ip = *(uint64_t *)regs->sp;
        regs->sp += 8;
        return;
    }
    regs->ip = (uintptr_t)user_touched;
}

/* In the program's address space, as in its system calls. */
static void claim_apart(const struct process *process)
{
    const struct regs *regs = regs_of(process);
    uint64_t flags = arch_irq_save(), read, error;

    trap_set_handler(VECTOR_PAGE_FAULT, go_on);
    arch_space_enter(process->space, thread_current()->stack);
    read = user_touch(regs->sp);
    error = faulted_error;
    faulted_error = 0;
    user_call(regs->ip);
    arch_space_enter(NULL, thread_current()->stack);
    trap_set_handler(VECTOR_PAGE_FAULT, NULL);
    arch_irq_restore(flags);
    ktap_ok(read == 0 && error & 1, "SMAP: the kernel cannot read a program's stack in its space");
    ktap_ok(faulted_error & PAGE_FETCHED && faulted_error & 1, "SMEP: nor execute its code");
}

static void claim_control(void)
{
    const uint64_t cr4 = cpu_read_cr4(), cr0 = cpu_read_cr0();

    ktap_ok(cr4 & CR4_SMEP && cr4 & CR4_SMAP, "SMEP and SMAP are on");
    ktap_ok(cr4 & CR4_UMIP || !(cpu_id(7, 0).ecx & CPUID_7_ECX_UMIP),
            "so is UMIP, where the CPU has it");
    ktap_ok(!(cr4 & CR4_FSGSBASE), "a program cannot set its GS base");
    ktap_ok(cr0 & CR0_EM && !(cr4 & CR4_OSXSAVE), "nor calculate with floats");
    ktap_ok(cr0 & CR0_WP, "the kernel writes to no read-only page");
}

static void claim_memory(void)
{
    struct process *sleeper = start("calls", "sleep");

    await_border(sleeper, true);
    claim_space(sleeper);
    claim_reads(sleeper);
    claim_control();
    claim_apart(sleeper);
    end(sleeper);
}

/* --- Returning -------------------------------------------------------------------------------- */

static void nothing(struct regs *regs)
{
    (void)regs;
}

/*
 * sysret is used only if it restores the registers exactly: calls the entry's C part with made-up
 * frames.
 */
static bool by_sysret(uint64_t ip, uint64_t cx, uint64_t flags, uint64_t r11)
{
    struct regs regs = {.ip = ip, .cx = cx, .flags = flags, .r11 = r11};

    return user_syscall(&regs);
}

static void claim_sysret(void)
{
    static const struct arch_user_handlers idle = {nothing, nothing, nothing};
    const uint64_t flags = FLAGS_FIXED | FLAGS_INTERRUPT, trap = flags | FLAGS_TRAP,
                   resume = flags | FLAGS_RESUME, last = ARCH_USER_END - 1;
    uint64_t irq = arch_irq_save();

    arch_user_set_handlers(&idle);
    ktap_ok(by_sysret(last, last, flags, flags), "a call is left by sysret");
    ktap_ok(!by_sysret(last, last - 2, flags, flags) && !by_sysret(last, last, flags, flags | 1),
            "not where rcx or r11 are not what it would load");
    ktap_ok(!by_sysret(last + 1, last + 1, flags, flags) &&
                !by_sysret(1ull << 47, 1ull << 47, flags, flags) &&
                !by_sysret((uintptr_t)_text, (uintptr_t)_text, flags, flags),
            "nor to where no program can be, a non-canonical address above all");
    ktap_ok(!by_sysret(last, last, trap, trap) && !by_sysret(last, last, resume, resume),
            "nor with TF or RF set");
    process_init();
    arch_irq_restore(irq);
}

/* --- A stack segment's watched operand -------------------------------------------------------- */

static unsigned hits, hits_in_kernel;

static void count_hit(unsigned fired, struct regs *regs)
{
    (void)fired;
    hits++;
    hits_in_kernel += !regs_user_mode(regs);
}

/* An address in the program's data. */
static uintptr_t operand_of_attacks(void)
{
    struct refusal why;
    const struct program *program = program_load("/bin/attack", &why);
    struct symbol symbol;
    size_t count;

    if (!program || symbol_table_find_name(symbol_table_of(&program->symbols), "attack_operand",
                                           &symbol, &count))
        panic("/bin/attack has no attack_operand");
    return symbol.address;
}

/* CVE-2018-8897: below the arbiter. */
static void claim_ends(const char *attack, uint8_t signal)
{
    const struct arch_watch watch = {operand_of_attacks(), 2, ARCH_READ_WRITE};
    struct process_end how;

    hits = hits_in_kernel = 0;
    arch_watch_disarm();
    arch_watch_set_handler(count_hit);
    arch_watch_arm(&watch, 1);
    how = process_wait(start("attack", attack));
    arch_watch_disarm();
    arch_watch_arm(NULL, 0);
    breakpoint_init();
    ktap_ok(how.signal == signal && how.code == 0, "%s with its operand watched ends as without",
            attack);
}

static void claim_watched(const char *attack, uint8_t signal)
{
    claim_ends(attack, signal);
    ktap_ok(hits > 0, "... and is told of (%u times, %u at the kernel's entry)", hits,
            hits_in_kernel);
}

static bool no_step(struct regs *regs, unsigned *told)
{
    (void)regs;
    (void)told;
    return false;
}

/*
 * A debugger and a stepper exist, but neither acts: a program that hits the watch is killed
 * nevertheless.
 */
static void claim_found_beside_steppers(void)
{
    static const struct debugreg_stop stop = {debugreg_watch_fired, no_step, NULL, NULL};

    arch_step_set_handlers(arch_step_no_more, arch_step_no_more);
    debugreg_set_stop(&stop);
    claim_watched("trap_flag_operand", SIGTRAP);
    debugreg_set_stop(NULL);
    arch_step_set_handlers(NULL, NULL);
}

static void user_claims(void)
{
    claim_chains();
    claim_memory();
    claim_sysret();
    claim_watched("ss_syscall", 0);
    claim_ends("ss_int3", SIGTRAP); /* Bochs forgets the hit */
    claim_watched("trap_flag_operand", SIGTRAP);
    claim_watched("ss_trap_flag_syscall", SIGTRAP);
    claim_watched("trap_flag_syscall_operand", SIGTRAP); /* no step: the flag is the program's */
    claim_found_beside_steppers();
}

KTAP_SUITE(user, "the border to user mode: spaces, chains, entries");
