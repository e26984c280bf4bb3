/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See source_branches.h. The stepping (branches_step, branches_open) runs in the debug trap with
 * interrupts off and watches disarmed: it does not lock, allocate or fault, and is not stepped. The
 * rest runs in task context.
 *
 * The trap flag is saved and loaded with the thread's other flags, by a thread switch and by code
 * that saves flags, so a step may arrive late or in a thread outside the window. The stack
 * identifies the stepped thread; a step on any other stack ends the stepping there.
 */
#include "core/event/source_branches.h"

#include <linux/hw_breakpoint.h>

#include "arch/cpu.h"
#include "arch/local.h"
#include "arch/memory.h"
#include "arch/regs.h"
#include "arch/step.h"
#include "arch/unwind.h"
#include "core/event/event.h"
#include "core/lib/cpus.h"
#include "core/lib/print.h"
#include "core/task.h"
#include "core/tracepoint/tracepoint.h"

#define BRANCHES "branches"

/* [owning CPU] Any CPU may read the counts. */
struct window {
    uintptr_t low, high; /* stack of the stepped thread; 0: no thread is stepped */
    uintptr_t ip;        /* instruction before the next step; 0: unknown */
    uint64_t left;       /* instructions left in the window */
    struct regs from;    /* snapshot at the branch instruction */
    struct branches_counts counts;
};

static struct window windows[ARCH_CPUS_MAX];
static struct event *traced;   /* [all CPUs parked] enabled event that steps the kernel */
static struct event *programs; /* [all CPUs parked] enabled event that steps programs */
static bool begun;             /* the event counts */
static bool records;           /* the event also takes samples, until the recording is frozen */

/*
 * True if `sp` is on the stack of the stepped thread. The thread's interrupts use the same stack.
 */
static bool window_is_of(const struct window *window, uintptr_t sp)
{
    return sp > window->low && sp <= window->high;
}

static void window_close(struct window *window)
{
    window->low = window->high = 0;
    window->ip = 0;
}

static void window_open(struct window *window, const struct event *event,
                        const struct arch_stack *stack, uintptr_t ip)
{
    window->low = stack->low;
    window->high = stack->high;
    window->ip = ip;
    window->left = event->spec.window.instructions ? event->spec.window.instructions : UINT64_MAX;
}

/* True once the workload has ended, or a panic or the trigger has frozen the recording. */
static bool has_ended(const struct event *event)
{
    return !*(volatile bool *)&begun || (records && !*(struct ring *volatile *)&event->rings);
}

/*
 * Reports a branch as a hit, unless the code that records a tracepoint hit made it: that code is
 * not observed.
 */
static void branch_take(struct event *event, struct window *window, uintptr_t from,
                        const struct regs *regs)
{
    if (tracepoint_is_recording(arch_cpu_id()))
        return;
    window->from.ip = from;
    window->from.sp = regs->sp;
    window->from.cs = regs->cs;
    event_hit(event, regs->ip, &window->from);
}

static void window_step(struct window *window, struct event *event, const struct regs *regs)
{
    uintptr_t from = window->ip ? arch_step_branch(window->ip, regs->ip) : 0;

    window->ip = regs->ip;
    window->counts.steps++;
    window->left--;
    if (from)
        branch_take(event, window, from, regs);
}

/*
 * Continues or closes the window after a step, or on return to this code. A window stays open while
 * its thread does not run, and closes when the thread returns to its program.
 */
static void window_go_on(struct window *window, const struct event *event, struct regs *regs)
{
    bool own = window_is_of(window, regs->sp);

    if (own && (!event || window->left == 0 || has_ended(event) || !arch_step_possible(regs))) {
        window_close(window);
        own = false;
    }
    if (own) {
        arch_step_more(regs);
    } else {
        window->ip = 0;
        arch_step_no_more(regs);
    }
}

static void branches_step(struct regs *regs)
{
    struct window *window = &windows[arch_cpu_id()];
    struct event *event = *(struct event *volatile *)&traced;

    if (event && window_is_of(window, regs->sp))
        window_step(window, event, regs);
    window_go_on(window, event, regs);
}

static void branches_resume(struct regs *regs)
{
    window_go_on(&windows[arch_cpu_id()], *(struct event *volatile *)&traced, regs);
}

void branches_open(struct regs *regs)
{
    struct window *window = &windows[arch_cpu_id()];
    const struct event *event = *(struct event *volatile *)&traced;
    const struct arch_stack *stack;

    if (!event || !event->spec.window.started || has_ended(event) || !arch_step_possible(regs))
        return;
    stack = arch_stack_find(regs->sp);
    if (!stack)
        return;
    window->counts.windows += !window_is_of(window, regs->sp);
    window_open(window, event, stack, regs->ip);
    arch_step_more(regs);
}

static bool is_of_workload(const struct event *event)
{
    return event && begun && !event->spec.window.started;
}

void branches_workload_begin(void)
{
    const struct arch_stack *stack = arch_stack_find((uintptr_t)__builtin_frame_address(0));
    uint64_t flags;

    if (!is_of_workload(traced) || !stack)
        return;
    flags = arch_irq_save();
    window_open(&windows[arch_cpu_id()], traced, stack, 0);
    arch_irq_restore(flags);
    arch_step_begin();
}

/* The next step is the last one, so that little of this code is recorded. */
void branches_workload_end(void)
{
    uint64_t flags;

    if (!is_of_workload(traced))
        return;
    begun = false;
    local_barrier();
    flags = arch_irq_save();
    window_close(&windows[arch_cpu_id()]);
    arch_irq_restore(flags);
}

/* event_matches decides the same for samples, and counts the hits that it excludes. */
bool branches_of_program_wanted(void)
{
    const struct event *event = *(struct event *volatile *)&programs;

    if (!event || has_ended(event))
        return false;
    if (event->spec.pid)
        return task_ids_of(event->spec.pid) == task_current_ids();
    return !event->spec.followed || task_followed[arch_cpu_id()];
}

void branches_of_program(uintptr_t from, const struct regs *regs)
{
    struct window *window = &windows[arch_cpu_id()];
    struct event *event = *(struct event *volatile *)&programs;

    window->counts.steps++;
    if (from)
        branch_take(event, window, from, regs);
}

/* A --start breakpoint has no effect while the window is open, so it is allowed. */
int branches_check_beside(const struct event_spec *event, bool program, struct refusal *why)
{
    bool stepped = program ? arch_of_programs(event->attr.bp_addr) : !event->start;

    if (!stepped || !event->source->watches || event->attr.bp_type == HW_BREAKPOINT_X ||
        !arch_step_excludes_watches())
        return 0;
    return refuse(why, EINVAL,
                  "%s: QEMU's TCG cannot step an instruction that makes a watched access: "
                  "with branches%s",
                  event->name,
                  program ? ":u, a program's code and the kernel's data can be watched, but not "
                            "the program's data"
                          : ", data can be watched by --start only");
}

/* The handlers stay installed: flags saved while a window was open may be loaded at any time. */
static int branches_enable(struct event *event, struct refusal *why)
{
    int error;

    if (event->recorded.attr.config != PERF_COUNT_HW_BRANCH_INSTRUCTIONS)
        return refuse(why, EINVAL, "%s: the only hardware event is branches", event->recorded.name);
    if (traced || programs)
        return refuse(why, EBUSY, "%s: another branches event is already enabled",
                      event->recorded.name);
    error = cpus_park(why);
    if (error)
        return error;
    for (unsigned cpu = 0; cpu < ARCH_CPUS_MAX; cpu++)
        windows[cpu].counts = (struct branches_counts){.steps = 0};
    arch_step_set_handlers(branches_step, branches_resume);
    begun = false;
    if (event->recorded.attr.exclude_kernel)
        programs = event;
    else
        traced = event;
    cpus_release();
    return 0;
}

static void branches_begin(struct event *event)
{
    records = event->rings;
    local_barrier(); /* a hit may open the window from here on */
    begun = true;
}

/* A thread being stepped takes one more step and then finds no window. */
static void branches_disable(struct event *event)
{
    (void)event;
    cpus_park_surely();
    traced = programs = NULL;
    begun = false;
    for (unsigned cpu = 0; cpu < ARCH_CPUS_MAX; cpu++)
        window_close(&windows[cpu]);
    cpus_release();
}

struct branches_counts branches_counts(void)
{
    struct branches_counts sum = {.steps = 0};

    for (unsigned cpu = 0; cpu < ARCH_CPUS_MAX; cpu++) {
        sum.steps += local_load(&windows[cpu].counts.steps);
        sum.windows += local_load(&windows[cpu].counts.windows);
    }
    return sum;
}

static int branches_parse(const char *spelling, struct event_spec *spec, struct refusal *why)
{
    struct spelling cursor = {spelling, why, NULL};

    if (!spelling_skip_name(&cursor, BRANCHES) &&
        !spelling_skip_name(&cursor, "branch-instructions"))
        return EVENT_IS_ANOTHERS;
    spec->attr.type = PERF_TYPE_HARDWARE;
    spec->attr.config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
    return spelling_modifiers(&cursor, "not a modifier of " BRANCHES, &spec->attr);
}

static void branches_describe(struct sink *sink)
{
    print_to(sink, "  branches[:k|:u] OR branch-instructions             "
                   "[Hardware event, by single steps]\n"
                   "      each jump, call and return of the command's thread, from => to; "
                   "of a program those in user mode;\n"
                   "      branches/window=N/ ends after N instructions, "
                   "--start mem:... opens a window at each hit\n\n");
}

const struct event_source branches_source = {
    .spelt = BRANCHES,
    .name = BRANCHES,
    .describe = branches_describe,
    .parse = branches_parse,
    .enable = branches_enable,
    .disable = branches_disable,
    .begin = branches_begin,
    .follows = true,
    .hertz_max = PACE_HERTZ_MAX,
};
