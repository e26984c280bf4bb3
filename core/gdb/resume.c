/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets c, s, C, S and vCont: all CPUs resume, possibly one by a step, or one resumes alone. */
#include "core/gdb/server.h"

#include "arch/cpu.h"

enum action { STAYS, RUNS, STEPS };

struct plan {
    uint8_t action[ARCH_CPUS_MAX];
    uint64_t start, end; /* address range of a step */
};

/* Makes the plan a request. Returns false, with an error reply, if the plan is not supported. */
static bool plan_resume(struct gdb_server *server, const struct plan *plan)
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
    if (steps <= 1 && (goes == there || goes == 1))
        return true;
    gdb_reply_error(server, "one CPU can run alone, or all can run, one of them by single steps");
    return false;
}

/* Reads an action: "c", "C05", "s", "S05", "t" or "r1000,1010". */
static bool read_action(struct gdb_server *server, const char **at, enum action *action,
                        struct plan *plan)
{
    char letter = *(*at)++;
    uint64_t signal; /* means nothing to a kernel */

    *action = letter == 'c' || letter == 'C' ? RUNS : letter == 't' ? STAYS : STEPS;
    switch (letter) {
    case 'c':
    case 's':
    case 't':
        return true;
    case 'C':
    case 'S':
        if (hex_number(at, &signal) && (**at == '\0' || **at == ';' || **at == ':'))
            return true;
        gdb_reply_error(server, "no signal");
        return false;
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

/* Handles the older packets `c`, `C`, `s` and `S`, for the CPU chosen by `Hc`. */
bool gdb_resume(struct gdb_server *server, const char *packet)
{
    struct plan plan = {.start = 0};
    unsigned cpu = server->of_resuming;
    enum action action;

    if (!read_action(server, &packet, &action, &plan))
        return false;
    if (*packet) {
        gdb_reply_error(server, "no address is allowed here: set rip instead");
        return false;
    }
    if (cpu == GDB_NO_CPU) {
        for (unsigned all = 0; all < server->target->cpus(); all++)
            plan.action[all] = RUNS;
        cpu = server->stop.cpu;
    }
    plan.action[cpu] = (uint8_t)action;
    return plan_resume(server, &plan);
}

/* The leftmost action that matches a thread applies to it. */
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
        if (*at == ':' && (at++, !gdb_thread_number(server, &at, true, &cpu)))
            return false;
        for (unsigned one = 0; one < server->target->cpus(); one++) {
            if (decided[one] || (cpu != GDB_NO_CPU && cpu != one))
                continue;
            plan.action[one] = (uint8_t)action;
            decided[one] = true;
        }
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
