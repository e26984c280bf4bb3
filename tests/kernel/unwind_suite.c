/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call chains of the living kernel: single-steps through real work and unwinds at every
 * instruction. Whatever the instruction, a prologue, an epilogue, a frameless leaf, assembly, the
 * chain must end in the chain of the function that set the step off: one frame too many, too few or
 * wrong anywhere shifts or breaks that end.
 */
#include "arch/x86_64/debugreg.h"
#include "core/fs/ramfs.h"
#include "core/perf/snapshot.h"
#include "core/perf/unwind.h"
#include "core/string.h"
#include "core/symbols.h"
#include "core/ticks.h"
#include "tests/kernel/ktap.h"
#include "tests/kernel/watch.h"

#define CHAIN_MAX 100

static struct {
    uint64_t chain[CHAIN_MAX]; /* of the stepper, from its caller up */
    size_t length;
    uint64_t steps, wrong, iterator_differs;
    uintptr_t first_wrong;
    uintptr_t last_ip; /* of the step before */
    size_t frames;     /* as many as there must be now, by counting calls and returns */
} proof;

/* The iterator and the hit path's loop must tell the same. */
static bool same_by_iterator(const struct regs *regs, const uint64_t *chain, size_t length)
{
    struct unwind state;
    size_t at = 0;

    for (unwind_start(&state, regs); !unwind_done(&state); unwind_next(&state), at++)
        if (at >= length || chain[at] != state.ip)
            return false;
    return at == length && state.end == UNWIND_OUTERMOST;
}

/*
 * How the instruction at `ip`, which has just run, changed the number of frames: call, ret, or
 * neither.
 */
static int frames_changed(uintptr_t ip)
{
    const uint8_t *code = (const uint8_t *)ip;
    const uint8_t *indirect = code[0] == 0x41 ? code + 1 : code; /* behind a REX prefix */

    if (code[0] == 0xe8 || (indirect[0] == 0xff && (indirect[1] & 0x38) == 0x10))
        return 1;
    return code[0] == 0xc3 ? -1 : 0;
}

/* A frame left out in the middle leaves the chain's end as it is, but not its length. */
static bool length_is_right(uintptr_t ip, size_t length)
{
    if (proof.steps == 1)
        proof.frames = length;
    else
        proof.frames += (size_t)frames_changed(proof.last_ip);
    proof.last_ip = ip;
    return length == proof.frames;
}

static void check_step(struct regs *regs)
{
    static uint64_t chain[CHAIN_MAX];
    size_t length = unwind_capture(regs, chain, CHAIN_MAX);

    proof.steps++;
    if (!same_by_iterator(regs, chain, length))
        proof.iterator_differs++;
    if (length_is_right(regs->ip, length) && length >= proof.length &&
        memcmp(chain + length - proof.length, proof.chain, proof.length * sizeof(chain[0])) == 0)
        return;
    if (proof.wrong++ == 0)
        proof.first_wrong = regs->ip;
}

/* Work with calls, loops, string instructions, leaves. */
static void real_work(void)
{
    static char text[64];
    int fd = fs_open("/stepped", FS_READ | FS_WRITE | FS_CREATE);

    fs_write(fd, "what is written", 15);
    fs_seek(fd, 0, FS_SEEK_SET);
    fs_read(fd, text, sizeof(text));
    fs_close(fd);
    fs_unlink("/stepped");
    print_into(text, sizeof(text), "%s %08x %-5d|", "formatted", 0xbeefu, -7);
}

void step_work(void (*work)(void)); /* tests/kernel/step_work.asm: calls work with TF set */

__attribute__((noinline)) static void claim_every_step(void)
{
    struct regs regs;
    uint64_t irq;
    char place[80];

    /*
     * Our caller and up: the frames that every chain must end with. Ours is left out, as its ip
     * moves on.
     */
    REGS_SNAPSHOT(&regs);
    proof.length = unwind_capture(&regs, proof.chain, CHAIN_MAX) - 1;
    memmove(proof.chain, proof.chain + 1, proof.length * sizeof(proof.chain[0]));
    irq = arch_irq_save();
    debug_set_step_handler(check_step);
    step_work(real_work);
    debug_set_step_handler(NULL);
    arch_irq_restore(irq);
    ktap_ok(proof.steps > 5000, "real work was stepped through");
    print("#   %llu instructions\n", (unsigned long long)proof.steps);
    if (!ktap_equal(proof.wrong, 0, "the chain is right at each of them"))
        print("#   the first at %s\n", symbols_describe(proof.first_wrong, place, sizeof(place)));
    ktap_equal(proof.iterator_differs, 0, "iterator and capture agree at each of them");
}

static struct {
    uint64_t chain[CHAIN_MAX];
    size_t length;
} tick_chain;

static void capture_tick(struct breakpoint *breakpoint, uintptr_t address, struct regs *regs)
{
    (void)breakpoint;
    (void)address;
    tick_chain.length = unwind_capture(regs, tick_chain.chain, CHAIN_MAX);
}

static bool chain_names(const char *name)
{
    struct symbol symbol;

    for (size_t i = 0; i < tick_chain.length; i++)
        if (symbols_find_address(tick_chain.chain[i] - (i > 0), &symbol) &&
            strcmp(symbol.name, name) == 0)
            return true;
    return false;
}

/* Out of line: its name is looked for. */
__attribute__((noinline)) static void claim_through_interrupt(void)
{
    struct breakpoint breakpoint = {.address = (uintptr_t)&ticks,
                                    .length = 8,
                                    .access = ARCH_WRITE,
                                    .owner = "suite",
                                    .hit = capture_tick};
    struct refusal why;

    if (!ktap_ok(breakpoint_install(&breakpoint, &why) == 0, "ticks can be watched"))
        return;
    while (tick_chain.length == 0)
        arch_relax();
    breakpoint_remove(&breakpoint);
    ktap_ok(chain_names("ticks_count"), "a hit in an interrupt: the chain begins in the handler");
    ktap_ok(chain_names("trap_entry"), "... shows the entry");
    ktap_ok(chain_names("claim_through_interrupt"), "... and goes on in what was interrupted");
    ktap_ok(chain_names("kernel_main"), "... down to the outermost caller");
}

__attribute__((noinline)) static void claim_snapshot(void)
{
    struct regs regs;
    struct unwind state;
    struct symbol symbol = {.name = ""};

    REGS_SNAPSHOT(&regs);
    ktap_ok(!regs_are_full(&regs), "a snapshot's flags have bit 1 clear");
    unwind_start(&state, &regs);
    symbols_find_address(state.ip, &symbol);
    ktap_ok(strcmp(symbol.name, "claim_snapshot") == 0,
            "its chain begins in the function that took it");
    unwind_next(&state);
    symbols_find_address(state.ip - 1, &symbol);
    ktap_ok(strcmp(symbol.name, "unwind_claims") == 0, "... and goes on in its caller");
}

static void unwind_claims(void)
{
    claim_snapshot();
    claim_every_step();
    claim_through_interrupt();
}

KTAP_SUITE(unwind, "call chains at every instruction of real work");
