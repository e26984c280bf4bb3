/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "At every instruction": single-steps a stretch of code (EFLAGS.TF, SIGTRAP) and, before each of
 * its instructions, forks a process that runs something else there and then continues to the end.
 * x86-64 Linux hosts.
 */
#pragma once

/*
 * Runs `victim`, whose stretches between step_on and step_off are stepped. At every `stride`-th
 * boundary a child runs `intrude`, then the rest of the victim, and then `verdict`, which returns
 * NULL or what is wrong. If `intrude_deeper` is given, `intrude` is stepped in the same way and
 * interrupted by it; if `watch` is given, it runs at each boundary of the rest.
 */
struct step_plan {
    void (*victim)(void);
    void (*intrude)(void);
    void (*intrude_deeper)(void);
    void (*watch)(void);
    const char *(*verdict)(void);
    unsigned stride;
};

struct step_result {
    unsigned boundaries; /* of the victim, at which `intrude` ran */
    unsigned wrong;      /* ... followed by a verdict (printed on stderr), a crash or a hang */
};

struct step_result step_through(const struct step_plan *plan);

/* Around the code to be stepped; without effect once `intrude` and `watch` are done. */
void step_on(void);
void step_off(void);
