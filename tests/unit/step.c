/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The stepper of step.h. Each boundary costs a SIGTRAP and a fork. A child is a copy of the stopped
 * victim, so the cost grows with the number of instructions, not with its square.
 */
#define _GNU_SOURCE
#include "tests/unit/step.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/unit/patience.h"

#define TRAP_FLAG 0x100u
#define PATIENCE  30 /* CPU-seconds; a child that takes longer hangs */

static const struct step_plan *plan;
static struct step_result result; /* of this process */
static unsigned depth;            /* how many forks separate this process from the first */
static unsigned steps;            /* of this process */
static bool stepping;             /* `intrude` or `watch` may still run */
static bool watching;             /* `intrude` does not run any more */

void step_on(void)
{
    if (stepping)
        __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() | TRAP_FLAG);
}

void step_off(void)
{
    __builtin_ia32_writeeflags_u64(__builtin_ia32_readeflags_u64() &
                                   ~(unsigned long long)TRAP_FLAG);
}

static void wait_for(pid_t child)
{
    int status;

    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        result.wrong++;
    result.boundaries++;
}

/* The child's part, which returns into the victim. */
static void come_between(void)
{
    depth++;
    steps = 0;
    result = (struct step_result){0};
    patience_start(PATIENCE);
    stepping = depth == 1 && plan->intrude_deeper;
    if (depth == 1)
        plan->intrude();
    else
        plan->intrude_deeper();
    watching = stepping = plan->watch;
}

static void boundary(int signal, siginfo_t *info, void *context)
{
    pid_t child;

    (void)signal;
    (void)info;
    if (watching)
        return plan->watch();
    if (steps++ % plan->stride)
        return;
    child = fork();
    if (child != 0) {
        wait_for(child);
        return;
    }
    come_between();
    if (!watching)
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

/* A child only reports its result. */
static void end_child(void)
{
    const char *wrong = plan->verdict();

    if (wrong)
        fprintf(stderr, "# depth %u: %s\n", depth, wrong);
    _exit(wrong || result.wrong);
}

struct step_result step_through(const struct step_plan *new_plan)
{
    struct sigaction action = {.sa_sigaction = boundary, .sa_flags = SA_SIGINFO | SA_NODEFER};

    plan = new_plan;
    result = (struct step_result){0};
    steps = 0;
    stepping = true;
    sigaction(SIGTRAP, &action, NULL);
    plan->victim();
    stepping = false;
    if (depth > 0)
        end_child();
    action.sa_handler = SIG_DFL;
    sigaction(SIGTRAP, &action, NULL);
    return result;
}
