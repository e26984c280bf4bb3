/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "At every instruction": single-steps a stretch of code (EFLAGS.TF, SIGTRAP) and, before each of
 * its instructions, forks a process that runs something else there and then continues to the end.
 * x86-64 Linux hosts.
 */
#pragma once

/*
 * Runs `victim`, whose stretches between step_on and step_off are stepped. At every `stride`-th
 * boundary a child runs `intrude`, then the rest of the victim, and is judged by `verdict`: NULL,
 * or what is wrong. If `intrude_deeper` is given, stretches of `intrude` are stepped in the same
 * way, and it comes in there; if `watch` is, it looks on at each boundary of the rest.
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
    unsigned boundaries; /* of the victim, that something came in at */
    unsigned wrong; /* ... and were followed by a verdict (told on stderr), a crash or a hang */
};

struct step_result step_through(const struct step_plan *plan);

/* Around what is to be stepped; nothing happens where nothing is to come in any more. */
void step_on(void);
void step_off(void);
