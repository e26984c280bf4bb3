/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See proof_step.h. Functions proof_... that take regs run in the debug trap, on its page, with
 * interrupts off and watches disarmed; the handlers of the interrupts sent to the work (serve_...)
 * are stepped as well.
 */
#include "tests/kernel/proof_step.h"

#include "arch/cpu.h"
#include "arch/memory.h"
#include "arch/snapshot.h"
#include "arch/step.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/entry/trap.h"
#include "core/breakpoint/breakpoint.h"
#include "core/lib/string.h"
#include "core/symbols/symbols.h"
#include "core/unwind/unwind.h"
#include "kernel/time/ticks.h"
#include "tests/kernel/proof_interrupts.h"
#include "tests/kernel/proof_repeat.h"
#include "tests/kernel/proof_shapes.h"
#include "tests/kernel/proof_visits.h"

#define FRAMELESS  3
#define NMI_FRAMES 2

/* The first interrupts are frequent, as the work begins with functions of every shape. */
#define GAP_DENSE   128
#define DENSE_COUNT 100
/* Both unwinders are checked at the first visits of a place, and at every BOTH_EACH-th step. */
#define BOTH_VISITS 4
#define BOTH_EACH   64
/*
 * Every ITERATIONS_CHECKED-th iteration of a string instruction is checked, and at most
 * ITERATIONS_MOST are run.
 */
#define ITERATIONS_CHECKED 16
#define ITERATIONS_MOST    256

/* The stubs' first instructions, where TF is set again, and a function of a handler. */
enum { WATCH_NMI, WATCH_EXCEPTION, WATCH_INTERRUPT, WATCH_HANDLER };

/*
 * The vectors of the 8254, the keyboard (which has no handler), the serial port, both spurious
 * interrupts, and the CPU's own timer, whose handler counts a tick each time, whichever timer the
 * machine uses.
 */
static const uint8_t vectors[] = {32, 33, 36, 39, 47, VECTOR_APIC_TIMER};

static struct proof proof;

static struct {
    struct proof_plan plan;
    uint32_t random;
    unsigned vector;       /* of the pending or current interrupt; 0: none */
    unsigned next;         /* index in `vectors` */
    uint64_t gap, nmi_gap; /* steps until the next one; 0: not now */
    uint64_t iterations;   /* of the current string instruction */
    const uint64_t *chain; /* the expected chain at this step */
    size_t length;
    const uint64_t *nmi_chain; /* ... and at the place of the current NMI */
    size_t nmi_length;
    bool nmi_leaves;                    /* the next NMI is that in the debug trap */
    volatile bool quiet;                /* set by the work */
    struct symbol frameless[FRAMELESS]; /* functions: see fp_cannot_know */
} stepper;

void step_work(void (*work)(void), uint64_t *return_address); /* tests/kernel/step_work.asm */

static uint32_t random_to(uint32_t most)
{
    stepper.random ^= stepper.random << 13;
    stepper.random ^= stepper.random >> 17;
    stepper.random ^= stepper.random << 5;
    return 1 + stepper.random % most;
}

bool proof_wants_more(void)
{
    return proof.steps < stepper.plan.steps || proof.nmis < stepper.plan.nmis;
}

void proof_quiet(bool quiet)
{
    stepper.quiet = quiet;
}

static uintptr_t stub(unsigned vector)
{
    return (uintptr_t)trap_stubs + vector * TRAP_STUB_SIZE;
}

/* Below the arbiter, which refuses entries. Takes effect when the debug trap is left. */
static void watch_stubs(void)
{
    struct arch_watch watches[ARCH_WATCHES] = {
        [WATCH_NMI] = {stub(VECTOR_NMI), 1, ARCH_EXECUTE},
        [WATCH_EXCEPTION] = {stub(VECTOR_BREAKPOINT), 1, ARCH_EXECUTE},
        [WATCH_INTERRUPT] = {stub(vectors[stepper.next]), 1, ARCH_EXECUTE},
        [WATCH_HANDLER] = {(uintptr_t)ticks_count, 1, ARCH_EXECUTE}};

    arch_watch_disarm();
    arch_watch_arm(watches, ARCH_WATCHES);
}

/* --- Sending ---------------------------------------------------------------------------------- */

static void proof_raise(void)
{
    stepper.vector = vectors[stepper.next];
    proof.raised++;
    interrupts_raise(stepper.vector);
}

static void proof_ended(unsigned vector)
{
    if (vector != stepper.vector)
        return;
    interrupts_end();
    proof.interrupts++;
    proof.ticks_raised += vector == VECTOR_APIC_TIMER;
    stepper.vector = 0;
    stepper.next = (stepper.next + 1) % sizeof(vectors);
    stepper.gap = random_to(proof.interrupts < DENSE_COUNT ? GAP_DENSE : stepper.plan.gap);
    watch_stubs();
}

static bool in_entry(void)
{
    return shadow_stands_in(&proof.shadow, arch_text_plain_end(), arch_text_end());
}

static void proof_send_nmi(void)
{
    if (shadow_serves(&proof.shadow, VECTOR_NMI))
        return;
    stepper.nmi_leaves = true;
    if (!interrupts_nmi_now_and_then()) {
        proof.nmis_failed = true;
        return;
    }
    proof.nmis++;
    proof.nmis_in_entries += in_entry();
    proof.nmis_in_interrupts += stepper.vector && shadow_serves(&proof.shadow, stepper.vector);
    stepper.nmi_chain = stepper.chain;
    stepper.nmi_length = stepper.length;
}

/* Counts down; true when it reaches 0. */
static bool due(uint64_t *gap)
{
    return *gap > 0 && --*gap == 0;
}

static void proof_send(void)
{
    if (stepper.quiet || !proof_wants_more())
        return;
    if (stepper.vector == 0 && due(&stepper.gap))
        proof_raise();
    if (due(&stepper.nmi_gap))
        proof_send_nmi();
}

/* --- Checking --------------------------------------------------------------------------------- */

/*
 * Frame pointers cannot give the caller inside a trap entry; nor in assembly that moves the stack
 * pointer without setting up a frame; nor where gcc sets up the frame late, as for a stack that is
 * both realigned and of variable size (docs/unwinding.md, "What it does not do").
 */
static bool fp_cannot_know(void)
{
    for (size_t i = 0; i < FRAMELESS; i++)
        if (shadow_stands_in(&proof.shadow, stepper.frameless[i].address,
                             stepper.frameless[i].address + stepper.frameless[i].size))
            return true;
    return in_entry();
}

static void proof_check_by(enum unwind_method method, const struct regs *regs, bool both)
{
    bool excused = method == UNWIND_BY_FRAME_POINTER && fp_cannot_know();
    struct chain_tally *tally = excused ? &proof.excused : &proof.tally[method];

    if (!unwind_possible(method))
        return;
    chain_check(tally, method, regs, stepper.chain, stepper.length);
    if (both)
        chain_check_iterator(tally, method, regs, stepper.chain, stepper.length);
}

/*
 * The stepped thread runs on the CPU's task stack. After a switch TF remains set for the few
 * instructions up to the popf that loads the other thread's flags; that thread is not stepped.
 */
static bool is_elsewhere(uintptr_t sp)
{
    const struct arch_stack *stack = arch_stack_find(sp);

    return stack && stack->thread;
}

/*
 * `visit` counts the visits of this place, from 1. Code that has interrupted an entry finds a
 * different half-built frame each time, so it is checked at each step.
 */
static void proof_check(const struct regs *regs, unsigned visit)
{
    bool both = visit <= BOTH_VISITS || proof.steps % BOTH_EACH == 0;
    bool entry = in_entry();

    stepper.chain = shadow_chain(&proof.shadow, regs->ip, &stepper.length);
    if (stepper.length > proof.longest)
        proof.longest = stepper.length;
    proof.in_entries += entry;
    if (!both && !entry && !stepper.plan.each)
        return;
    proof.places += visit == 1;
    for (unsigned method = 0; method < UNWIND_METHODS; method++)
        proof_check_by(method, regs, both);
}

static unsigned proof_visit(const struct regs *regs)
{
    return visits_add(proof.shadow.traps, regs->ip);
}

/*
 * The iterations of a string instruction differ only in a few registers that no chain depends on,
 * so only some are checked, and a large memory is not stepped through to its end.
 */
static void proof_iterate(struct regs *regs)
{
    if (stepper.iterations++ % ITERATIONS_CHECKED == 0)
        proof_check(regs, 0);
    if (stepper.iterations == ITERATIONS_MOST)
        repeat_rest(regs);
    proof.iterations++;
}

static void proof_step(struct regs *regs)
{
    int ended;

    /* The arbiter does not know these watches, so each switch turns them off. */
    arch_watch_select(arch_cpu_id(), (1u << ARCH_WATCHES) - 1);
    if (regs->ip == proof.shadow.ip) {
        proof_iterate(regs);
        return;
    }
    ended = shadow_step(&proof.shadow, regs);
    proof.steps++;
    stepper.iterations = 0;
    if (is_elsewhere(regs->sp)) {
        proof.elsewhere++;
        return;
    }
    proof_check(regs, proof_visit(regs));
    if (ended >= 0)
        proof_ended((unsigned)ended);
    proof_send();
}

/* --- Arrivals --------------------------------------------------------------------------------- */

static void proof_count_arrival(unsigned vector)
{
    proof.exceptions += vector == VECTOR_BREAKPOINT;
    proof.nmis_stepped += vector == VECTOR_NMI;
    if (vector == stepper.vector)
        stepper.nmi_gap = 1 + proof.nmis % PROOF_NMI_PLACES;
}

/* Called before a stub's first instruction: the CPU has cleared TF. */
static void proof_arrive(struct regs *regs, unsigned vector)
{
    proof_count_arrival(vector);
    shadow_trap(&proof.shadow, regs, vector);
    proof_check(regs, proof_visit(regs));
    proof_send();
}

/* At a stub, with the CPU's frame on top of the stack: ip, cs, flags, sp. */
static uintptr_t interrupted_sp(const struct regs *regs)
{
    return ((const uint64_t *)regs->sp)[3];
}

static uintptr_t interrupted_ip(const struct regs *regs)
{
    return ((const uint64_t *)regs->sp)[0];
}

/*
 * If TF is set, a step has reached this place, for example a return to a stub that an NMI
 * interrupted: QEMU reports both in the same trap, or the step in the one before.
 */
static void proof_hit(unsigned fired, struct regs *regs)
{
    static const unsigned stubs = 1u << WATCH_NMI | 1u << WATCH_EXCEPTION | 1u << WATCH_INTERRUPT;
    unsigned vector;

    if (fired & 1u << WATCH_HANDLER)
        proof.hits_in_ticks += stepper.vector == VECTOR_APIC_TIMER;
    if (regs->flags & FLAGS_TRAP || !(fired & stubs))
        return;
    vector = (unsigned)(regs->ip - stub(0)) / TRAP_STUB_SIZE;
    if (is_elsewhere(interrupted_sp(regs))) {
        proof.interrupts_elsewhere += vector == stepper.vector;
        proof_ended(vector);
        return;
    }
    if (vector == VECTOR_NMI && interrupted_ip(regs) == (uintptr_t)ticks_count)
        proof.nmis_at_watch += stepper.vector == VECTOR_APIC_TIMER;
    proof_arrive(regs, vector);
    regs->flags |= FLAGS_TRAP;
}

/* --- Handlers, which are stepped -------------------------------------------------------------- */

/* An NMI inside the debug trap: its chain continues in the interrupted code. */
static void check_in_step(const struct regs *regs)
{
    static uint64_t chain[CHAIN_MOST];
    size_t length = unwind_capture_by(UNWIND_BY_TABLE, regs, 0, chain, CHAIN_MOST),
           inner = length - stepper.length;

    proof.nmis_in_step++;
    if (length > stepper.length && chain_is_called(chain, inner) &&
        arch_is_trap_return(chain[inner - 1]) &&
        memcmp(chain + inner, stepper.chain, stepper.length * sizeof(chain[0])) == 0)
        return;
    proof.nmis_in_step_wrong++;
}

/*
 * Does what a sample does: a chain, and names; only a few frames, as each of its instructions is
 * stepped. If it is not stepped, as on Bochs, the whole chain is checked here.
 */
static void serve_nmi(struct regs *regs)
{
    uint64_t chain[NMI_FRAMES];
    struct symbol symbol;
    size_t length;

    if (stepper.nmi_leaves) {
        stepper.nmi_leaves = false;
        check_in_step(regs);
        interrupts_leave_nmi();
    }
    proof.nmis_served++;
    if (!(arch_flags() & FLAGS_TRAP))
        chain_check(&proof.not_stepped, UNWIND_BY_TABLE, regs, stepper.nmi_chain,
                    stepper.nmi_length);
    length = unwind_capture_by(unwind_default(), regs, 0, chain, NMI_FRAMES);
    for (size_t i = 0; i < length; i++)
        symbols_find_address(chain[i], &symbol);
}

static void serve_exception(struct regs *regs)
{
    (void)regs;
    shape_recursive(3);
}

/* --- The run ---------------------------------------------------------------------------------- */

static void find_frameless(void)
{
    const uintptr_t shapes[FRAMELESS] = {(uintptr_t)shape_pushing, (uintptr_t)shape_escape,
                                         (uintptr_t)shape_realigned_variable};

    for (size_t i = 0; i < FRAMELESS; i++)
        symbols_find_address(shapes[i], &stepper.frameless[i]);
}

static bool stepper_start(const struct proof_plan *plan)
{
    memset(&proof, 0, sizeof(proof));
    memset(&stepper, 0, sizeof(stepper));
    stepper.plan = *plan;
    stepper.random = 20090901;
    stepper.gap = random_to(proof.interrupts < DENSE_COUNT ? GAP_DENSE : stepper.plan.gap);
    find_frameless();
    return visits_start();
}

/* The names of the chain with which the work's chain begins, for the claims. */
static void describe_base(const uint64_t *chain, size_t length)
{
    struct symbol symbol = {.name = "?"};
    size_t used = 0;

    for (size_t i = 0; i < length && used < sizeof(proof.base); i++) {
        symbols_find_address(chain[i] - 1, &symbol);
        used += print_into(proof.base + used, sizeof(proof.base) - used, "%s%s", i ? " " : "",
                           symbol.name);
    }
}

/* This frame's own address in the chain changes, so step_work stores it. */
__attribute__((noinline)) static void step_through(void (*work)(void))
{
    uint64_t chain[CHAIN_MOST / 4];
    struct regs regs;
    size_t length;

    REGS_SNAPSHOT(&regs);
    length = unwind_capture_by(unwind_default(), &regs, 0, chain, CHAIN_MOST / 4);
    proof.base_is_called = chain_is_called(chain, length);
    describe_base(chain, length);
    shadow_start(&proof.shadow, chain, length);
    watch_stubs();
    step_work(work, &proof.shadow.chain[proof.shadow.top]);
}

const struct proof *proof_run(const struct proof_plan *plan)
{
    if (!stepper_start(plan) || !interrupts_prepare(serve_nmi))
        return NULL;
    trap_set_handler(VECTOR_BREAKPOINT, serve_exception);
    arch_watch_set_handler(proof_hit);
    arch_step_set_handlers(proof_step, NULL);
    step_through(plan->work);
    arch_watch_disarm();
    arch_watch_arm(NULL, 0);
    arch_step_set_handlers(NULL, NULL);
    breakpoint_init();
    trap_set_handler(VECTOR_BREAKPOINT, NULL);
    interrupts_restore();
    return &proof;
}
