/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See ring_nest.h. nest_step and its callees run in the debug trap, on its page; the rest in task
 * context, nested writers on top of what they interrupt. Interrupts are off throughout.
 *
 * The registers, the stack and the world of each depth's boundary are saved, as by fork(2), so that
 * the writers tried there leave no trace.
 */
#include "tests/kernel/ring_nest.h"

#include "arch/cpu.h"
#include "arch/local.h"
#include "arch/regs.h"
#include "arch/step.h"
#include "arch/x86_64/debug/debugreg.h"

#define FLAGS_TRAP (1ull << 8)
/* The most words of stack that a writer and those nested in it use. */
#define STACK_WORDS 384
/* A writer that takes more steps hangs. */
#define PATIENCE 1000000

/* The stack contents at nest_intrude. */
struct nest_frame {
    uint64_t ip, cs, flags, sp, ss;
    uint64_t writer;
};

static struct {
    const struct nest_plan *plan;
    struct nest_count *count;
    struct nest_fault *fault;
    /* of the current boundary: 1 after a nested writer that is to be followed, -1 at the end */
    int depth;
    bool goes_on; /* the next trap returns to that boundary */
    uint64_t steps;
    struct boundary {
        struct regs regs;
        uint64_t stack[STACK_WORDS];
        uint64_t words;
        unsigned next; /* index in the plan's sizes */
        struct world_view view;
    } boundaries[NEST_DEPTH];
} nest;

/* ring_nest.asm */
void nest_step_outermost(void);
void nest_intrude(void);
extern uint64_t nest_base; /* the writers use the stack below it */
extern const uintptr_t nest_done[NEST_DEPTH];

/* Called from ring_nest.asm. */
void nest_outermost(void);
bool nest_judge(void);
void nest_write(uint32_t writer);
void nest_written(uint32_t writer);

static void blame(const char *what)
{
    if (what && !nest.fault->what)
        nest.fault->what = what;
}

/* --- In the debug trap ------------------------------------------------------------------------ */

static bool keep(struct boundary *boundary, const struct regs *regs)
{
    boundary->regs = *regs;
    boundary->next = 0;
    boundary->words = (nest_base - regs->sp) / 8;
    if (boundary->words > STACK_WORDS)
        return false;
    local_copy_words(boundary->stack, (const void *)regs->sp, boundary->words);
    world_save((unsigned)nest.depth);
    return true;
}

static void bring_back(const struct boundary *boundary, struct regs *regs)
{
    *regs = boundary->regs;
    local_copy_words((void *)regs->sp, boundary->stack, boundary->words);
    world_restore((unsigned)nest.depth);
}

/* The writer that the next nested one interrupts. */
static unsigned stepped_writer(void)
{
    return nest.plan->kind == NEST_DEEPER ? (unsigned)nest.depth : 0;
}

/* Ends the whole run here, even if a writer is in the middle of a record. */
static void give_up(struct regs *regs, const char *what)
{
    blame(what);
    nest.depth = -1;
    regs->ip = nest_done[0];
    regs->sp = nest_base;
    regs->flags &= ~FLAGS_TRAP;
}

/* Makes an aligned call, with a trap frame to return by; either may be stepped. */
static void intrude(struct regs *regs, unsigned writer, bool step_call, bool step_return)
{
    uintptr_t sp = ((regs->sp - sizeof(struct nest_frame)) & ~15ull) - 8;
    uint64_t flags = regs->flags & ~FLAGS_TRAP;

    *(struct nest_frame *)sp = (struct nest_frame){.ip = regs->ip,
                                                   .cs = regs->cs,
                                                   .flags = flags | (step_return ? FLAGS_TRAP : 0),
                                                   .sp = regs->sp,
                                                   .ss = regs->ss,
                                                   .writer = writer};
    regs->ip = (uintptr_t)nest_intrude;
    regs->sp = sp;
    regs->flags = flags | (step_call ? FLAGS_TRAP : 0);
}

/* Starts the next writer at this boundary; after the last one, the instruction is run. */
static void try_next(struct boundary *boundary, struct regs *regs)
{
    const struct nest_plan *plan = nest.plan;
    unsigned depth = (unsigned)nest.depth;
    bool more = depth == 0 && plan->kind != NEST_ONE;

    nest.fault->came = depth;
    if (boundary->next == plan->size_count)
        return;
    nest.fault->came = depth + 1;
    nest.fault->sizes[depth] = plan->sizes[boundary->next];
    nest.fault->at[depth] = regs->ip;
    world_set_size(depth + 1, plan->sizes[boundary->next++]);
    for (unsigned i = 0; i < WORLD_MOMENTS; i++)
        nest.count->moments[i] += world_is_in(i, &boundary->view);
    intrude(regs, depth + 1, more && plan->kind == NEST_DEEPER, more && plan->kind == NEST_AGAIN);
    nest.depth += more;
}

static void nest_step(struct regs *regs)
{
    struct boundary *boundary = &nest.boundaries[nest.depth];

    if (nest.goes_on) {
        nest.goes_on = false;
        bring_back(boundary, regs);
        try_next(boundary, regs);
    } else if (++nest.steps > PATIENCE) {
        give_up(regs, "a writer does not end");
    } else if (regs->ip == nest_done[stepped_writer()]) {
        nest.depth--;
        regs->flags &= ~FLAGS_TRAP;
    } else if (world_in_ring(stepped_writer())) {
        if (!keep(boundary, regs)) {
            give_up(regs, "a writer takes more stack than is kept");
            return;
        }
        nest.count->boundaries++;
        blame(world_view(&boundary->view));
        try_next(boundary, regs);
    }
}

/* --- Writers, and the checks ------------------------------------------------------------------ */

void nest_outermost(void)
{
    world_write(0);
}

void nest_write(uint32_t writer)
{
    world_write(writer);
}

/*
 * A nested writer does not change the unfinished work of the one below, and its own record is found
 * at once.
 */
void nest_written(uint32_t writer)
{
    const struct world_view *found = &nest.boundaries[writer - 1].view;
    struct world_view view;

    blame(world_view(&view));
    if (view.unfinished != found->unfinished)
        blame("the nested writer changed what is unfinished");
    if (view.missing != found->missing)
        blame("a nested record is not accounted for");
}

/* True: return to the innermost boundary at which others are still to be tried. */
bool nest_judge(void)
{
    struct world_deeds deeds;

    blame(world_fault(&deeds));
    if (nest.fault->came > 0) {
        nest.count->interleavings++;
        nest.count->wrapped += deeds.wrapped;
        nest.count->moved += deeds.moved;
        nest.count->dropped += deeds.dropped;
    }
    nest.goes_on = !nest.fault->what && nest.depth >= 0;
    nest.steps = 0;
    return nest.goes_on;
}

void nest_run(const struct nest_plan *plan, struct nest_count *count, struct nest_fault *fault)
{
    uint64_t flags = arch_irq_save();

    nest.plan = plan;
    nest.count = count;
    nest.fault = fault;
    nest.depth = 0;
    nest.goes_on = false;
    nest.steps = 0;
    *fault = (struct nest_fault){.what = NULL};
    count->runs++;
    world_start(&plan->setup);
    world_set_size(0, plan->outermost);
    arch_step_set_handlers(nest_step, NULL);
    nest_step_outermost();
    arch_step_set_handlers(NULL, NULL);
    arch_irq_restore(flags);
}
