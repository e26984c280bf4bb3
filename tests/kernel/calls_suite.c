/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The proof of chains (docs/proof.md) for system calls: programs' calls are single-stepped from the
 * first instruction of the entry to the last of the exit, where GS and the stack are the program's,
 * and each chain is compared with the shadow stack. Functions calls_... that take regs run in the
 * debug trap, on its page.
 */
#include "arch/memory.h"
#include "arch/step.h"
#include "arch/x86_64/debug/debugreg.h"
#include "core/breakpoint/breakpoint.h"
#include "core/lib/string.h"
#include "kernel/panic/panic.h"
#include "kernel/user/process.h"
#include "kernel/x86_64/entry/user.h"
#include "tests/kernel/ktap.h"
#include "tests/kernel/proof_chain.h"
#include "tests/kernel/proof_shadow.h"
#include "tests/kernel/proof_visits.h"

typedef unsigned long long ull;

#define STEPS_MOST 150000
/*
 * Checked: the first visits of each address, everything in an entry, and every CHECKED_EACH-th
 * step.
 */
#define CHECKED_VISITS 16
#define CHECKED_EACH   16

/* The last instructions of the kernel; the program's come before its entry and after these. */
static const uint8_t sysret[] = {0x48, 0x0f, 0x07}, iretq[] = {0x48, 0xcf};

static struct {
    struct shadow shadow;
    const struct arch_stack *stack; /* of the stepped thread */
    uint64_t steps, entries, in_entries, by_sysret, by_iretq, elsewhere, iterations;
    uint64_t places; /* addresses whose first visit was checked */
    size_t longest;
    struct chain_tally tally[UNWIND_METHODS];
    struct chain_tally excused; /* by frame pointers, in the entry, which has none */
} calls;

static bool in_entry(uintptr_t ip)
{
    return ip >= arch_text_plain_end() && ip < arch_text_end();
}

static void calls_check_by(enum unwind_method method, const struct regs *regs,
                           const uint64_t *chain, size_t length)
{
    bool excused = method == UNWIND_BY_FRAME_POINTER && in_entry(regs->ip);
    struct chain_tally *tally = excused ? &calls.excused : &calls.tally[method];

    if (!unwind_possible(method))
        return;
    chain_check(tally, method, regs, chain, length);
    chain_check_iterator(tally, method, regs, chain, length);
}

/* The shadow's outermost frame is the program's, where the kernel's chain ends. */
static void calls_check(const struct regs *regs)
{
    size_t length;
    const uint64_t *chain = shadow_chain(&calls.shadow, regs->ip, &length);
    unsigned visit = visits_add(0, regs->ip);

    if (length > calls.longest)
        calls.longest = length;
    calls.in_entries += in_entry(regs->ip);
    if (visit > CHECKED_VISITS && !in_entry(regs->ip) && calls.steps % CHECKED_EACH != 0)
        return;
    calls.places += visit == 1;
    for (unsigned method = 0; method < UNWIND_METHODS; method++)
        calls_check_by((enum unwind_method)method, regs, chain, length - 1);
}

/* Here rcx is the program's ip. */
static void calls_enter(unsigned fired, struct regs *regs)
{
    const uint64_t program[] = {regs->cx};

    (void)fired;
    if (calls.steps >= STEPS_MOST)
        return;
    calls.entries++;
    calls.stack = NULL;
    shadow_start(&calls.shadow, program, 1);
    calls.shadow.ip = regs->ip;
    calls_check(regs);
    arch_step_more(regs);
}

static bool is_at(const struct regs *regs, const uint8_t *bytes, size_t size)
{
    return memcmp((const void *)regs->ip, bytes, size) == 0;
}

/*
 * The kernel's last instruction is not stepped over: the trap after it would count as the
 * program's.
 */
static bool is_last(const struct regs *regs)
{
    bool by_sysret = is_at(regs, sysret, sizeof(sysret));
    bool by_iretq = is_at(regs, iretq, sizeof(iretq)) && ((const uint64_t *)regs->sp)[1] & 3;

    calls.by_sysret += by_sysret;
    calls.by_iretq += by_iretq;
    return by_sysret || by_iretq;
}

/* After a switch TF remains set up to the popf that loads the other thread's flags. */
static bool is_elsewhere(const struct regs *regs)
{
    const struct arch_stack *stack = arch_stack_find(regs->sp);

    if (!calls.stack)
        calls.stack = stack;
    return stack && stack != calls.stack;
}

static void calls_step(struct regs *regs)
{
    if (regs->ip == calls.shadow.ip) {
        calls.iterations++;
        return;
    }
    shadow_step(&calls.shadow, regs);
    calls.steps++;
    if (is_elsewhere(regs)) {
        calls.elsewhere++;
        return;
    }
    calls_check(regs);
    if (is_last(regs) || calls.steps >= STEPS_MOST)
        arch_step_no_more(regs);
}

static void run(const char *path, const char *argument)
{
    char *argv[] = {(char *)path, (char *)argument};
    struct process *process;
    struct process_end end;
    struct refusal why;

    if (process_spawn(path, 2, argv, NULL, &process, &why))
        panic("%s", why.text);
    end = process_wait(process);
    ktap_ok(end.signal == 0 && end.code == 0, "%s ran to its end", path);
}

static void step_through(void)
{
    const struct arch_watch entry = {(uintptr_t)syscall_entry, 1, ARCH_EXECUTE};

    memset(&calls, 0, sizeof(calls));
    arch_watch_disarm();
    arch_watch_set_handler(calls_enter);
    arch_step_set_handlers(calls_step, NULL);
    arch_watch_arm(&entry, 1);
    run("/bin/poll-load", "8");
    run("/bin/fs-load", "1");
    arch_watch_disarm();
    arch_watch_arm(NULL, 0);
    arch_step_set_handlers(NULL, NULL);
    breakpoint_init();
}

static void claim_by(enum unwind_method method, const char *name)
{
    const struct chain_tally *tally = &calls.tally[method];

    if (!unwind_possible(method))
        return;
    ktap_ok(tally->checked > 0 && tally->wrong == 0, "by %s: each chain is right", name);
    ktap_ok(tally->iterated > 0 && tally->iterated_wrong == 0, "by %s: ... and whole", name);
    print("#   %llu chains, %llu wrong; %llu by the iterator, %llu wrong\n", (ull)tally->checked,
          (ull)tally->wrong, (ull)tally->iterated, (ull)tally->iterated_wrong);
    chain_print_places(tally);
}

static void calls_claims(void)
{
    if (!ktap_ok(visits_start(), "there is memory for what is visited"))
        return;
    step_through();
    ktap_ok(calls.entries > 20, "system calls were entered");
    ktap_ok(calls.steps >= STEPS_MOST / 3, "... and stepped through");
    ktap_equal(calls.places, visits_places(), "... and checked at each address that was visited");
    ktap_ok(calls.by_sysret > calls.entries / 2, "... up to sysret");
    ktap_ok(calls.in_entries > 20 * calls.entries, "... entries and exits, too");
    ktap_ok(calls.elsewhere < calls.steps / 100, "... nearly all on the program's own stack");
    ktap_equal(calls.shadow.broken, 0, "each return went where its call had come from");
    ktap_ok(calls.longest > 6, "some chains are long");
    print(
        "#   %llu calls, %llu instructions at %llu addresses, %llu of them in the entry; %llu left "
        "by sysret, %llu by iretq; %llu steps behind a switch; the longest chain has %zu frames\n",
        (ull)calls.entries, (ull)calls.steps, (ull)calls.places, (ull)calls.in_entries,
        (ull)calls.by_sysret, (ull)calls.by_iretq, (ull)calls.elsewhere, calls.longest);
    claim_by(UNWIND_BY_TABLE, "table");
    claim_by(UNWIND_BY_FRAME_POINTER, "frame pointers");
}

KTAP_SUITE(calls, "chains at every instruction of system calls");
