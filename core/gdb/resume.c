/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets c, s, C, S and vCont: which CPUs resume, and how far. All CPUs may resume, one alone, or
 * all with one of them stepped; every other combination is refused. See packets.h.
 */
#include "core/gdb/hex.h"
#include "core/gdb/packets.h"

#include "arch/cpu.h"

enum action { STAYS, RUNS, STEPS };

struct plan {
    uint8_t action[ARCH_CPUS_MAX];
    uint64_t start, end; /* address range of a step */
};

/* Converts the plan to a request; false if the combination is not supported. */
static bool plan_request(struct gdb_server *server, const struct plan *plan)
{
    struct gdb_request *request = &server->request;
    unsigned there = 0, goes = 0, steps = 0;

    *request = (struct gdb_request){.kind = GDB_RESUME, .only = GDB_NO_CPU};
    for (unsigned cpu = 0; cpu < server->target->cpus(); cpu++) {
        if (!server->target->cpu_is_there(cpu))
            continue;
        there++;
        goes += plan->action[cpu] != STAYS;
        steps += plan->action[cpu] == STEPS;
        if (plan->action[cpu] == STEPS || (plan->action[cpu] == RUNS && !request->step))
            request->only = cpu;
        request->step |= plan->action[cpu] == STEPS;
    }
    request->all = goes == there;
    request->start = plan->start;
    request->end = plan->end;
    if (request->all && !request->step)
        request->only = GDB_NO_CPU;
    return steps <= 1 && (goes == there || goes == 1);
}

static bool plan_resume(struct gdb_server *server, const struct plan *plan)
{
    if (plan_request(server, plan))
        return true;
    gdb_reply_error(server, "one CPU can run alone, or all can run, one of them by single steps");
    return false;
}

static void plan_all(struct gdb_server *server, struct plan *plan, enum action action)
{
    for (unsigned cpu = 0; cpu < server->target->cpus(); cpu++)
        plan->action[cpu] = (uint8_t)action;
}

/* The older `c` and `s`, for the CPU chosen by `Hc`; gdb may add an address to resume at. */
static bool resume_old(struct gdb_server *server, const char *at, enum action action)
{
    struct plan plan = {.start = 0};
    unsigned cpu = server->of_resuming;

    if (*at) {
        gdb_reply_error(server, "no address is allowed here: set rip instead");
        return false;
    }
    if (cpu == GDB_NO_CPU)
        plan_all(server, &plan, RUNS);
    if (action == STEPS && cpu == GDB_NO_CPU)
        cpu = server->stop.cpu;
    if (cpu != GDB_NO_CPU)
        plan.action[cpu] = (uint8_t)action;
    return plan_resume(server, &plan);
}

/* Skips the signal, which a kernel has no use for. */
static bool skip_signal(struct gdb_server *server, const char **at)
{
    uint64_t signal;

    if (hex_number(at, &signal) && (**at == '\0' || **at == ';' || **at == ':'))
        return true;
    gdb_reply_error(server, "no signal");
    return false;
}

bool gdb_continue(struct gdb_server *server, const char *at)
{
    return resume_old(server, at, RUNS);
}

bool gdb_step(struct gdb_server *server, const char *at)
{
    return resume_old(server, at, STEPS);
}

bool gdb_continue_signal(struct gdb_server *server, const char *at)
{
    return skip_signal(server, &at) && resume_old(server, at, RUNS);
}

bool gdb_step_signal(struct gdb_server *server, const char *at)
{
    return skip_signal(server, &at) && resume_old(server, at, STEPS);
}

/* "c", "C05", "s", "S05", "t", "r1000,1010". */
static bool read_action(struct gdb_server *server, const char **at, enum action *action,
                        struct plan *plan)
{
    char letter = *(*at)++;

    *action = letter == 'c' || letter == 'C' ? RUNS : letter == 't' ? STAYS : STEPS;
    switch (letter) {
    case 'c':
    case 's':
    case 't':
        return true;
    case 'C':
    case 'S':
        return skip_signal(server, at);
    case 'r':
        if (hex_number(at, &plan->start) && *(*at)++ == ',' && hex_number(at, &plan->end))
            return true;
        break;
    default:
        break;
    }
    gdb_reply_error(server, "vCont: c, C, s, S, t and r are allowed");
    return false;
}

/* A thread takes the leftmost action that matches it; `decided` marks threads that have one. */
static void apply(struct gdb_server *server, struct plan *plan, bool *decided, enum action action,
                  unsigned cpu)
{
    unsigned first = cpu == GDB_NO_CPU ? 0 : cpu;
    unsigned last = cpu == GDB_NO_CPU ? server->target->cpus() : cpu + 1;

    for (unsigned one = first; one < last; one++) {
        if (!decided[one])
            plan->action[one] = (uint8_t)action;
        decided[one] = true;
    }
}

static bool resume_threads(struct gdb_server *server, const char *at)
{
    bool decided[ARCH_CPUS_MAX] = {false};
    struct plan plan = {.start = 0};

    while (*at == ';') {
        enum action action;
        unsigned cpu = GDB_NO_CPU;

        at++;
        if (!read_action(server, &at, &action, &plan))
            return false;
        if (*at == ':' && (at++, !gdb_thread_number(server, &at, &cpu))) {
            gdb_reply_error(server, "no such thread");
            return false;
        }
        apply(server, &plan, decided, action, cpu);
    }
    if (*at) {
        gdb_reply_error(server, "vCont: each action follows a semicolon");
        return false;
    }
    return plan_resume(server, &plan);
}

bool gdb_verbose(struct gdb_server *server, const char *at)
{
    if (text_skip(&at, "Cont?")) {
        gdb_out_text(&server->link, "vCont;c;C;s;S;t;r");
        return false;
    }
    if (text_skip(&at, "Cont"))
        return resume_threads(server, at);
    if (text_skip(&at, "Kill")) {
        gdb_reply_ok(server);
        gdb_link_send(&server->link);
        server->request.kind = GDB_KILL;
        return true;
    }
    return false;
}
