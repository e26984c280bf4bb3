/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events that are never enabled, for host programs that only parse events. The sources
 * (core/event/) are linked unmodified; the functions that they call once an event counts are here,
 * and end the program.
 */
#include <stdlib.h>

#include "arch/cpu.h"
#include "arch/snapshot.h"
#include "arch/step.h"
#include "core/event/event.h"

bool task_followed[ARCH_CPUS_MAX];
uint64_t event_drain_ids;

#define NEVER(signature)                                                                           \
    __attribute__((noreturn)) signature                                                            \
    {                                                                                              \
        abort();                                                                                   \
    }

#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

NEVER(int breakpoint_install(struct breakpoint *breakpoint, struct refusal *why))
NEVER(void breakpoint_remove(struct breakpoint *breakpoint))
NEVER(int tracepoint_listen(struct pitot_tracepoint *tracepoint, struct tracepoint_probe *probe,
                            struct refusal *why))
NEVER(void tracepoint_leave(struct pitot_tracepoint *tracepoint, struct tracepoint_probe *probe))
NEVER(bool tracepoint_is_recording(unsigned cpu))
NEVER(void event_enter(void))
NEVER(void event_leave(void))
NEVER(bool event_matches(const struct event *event, const struct regs *regs, uint64_t ids,
                         unsigned cpu))
NEVER(bool event_may(struct event *event, struct event_cpu *here, struct ring *ring))
NEVER(bool event_sample(struct event *event, uint64_t period, const struct regs *regs))
NEVER(void event_hit(struct event *event, uint64_t addr, const struct regs *regs))
NEVER(void event_hit_checked(struct event *event, struct ring *ring, uint64_t addr,
                             const struct regs *regs, uint64_t ids))
NEVER(void event_traced_checked(struct event *event, struct ring *ring, struct trace_hit *traced,
                                uint64_t addr))
NEVER(void sample_take_state(const struct sample_plan *plan, struct ring *ring,
                             struct trace_hit *hit))
NEVER(void sample_write_throttle(const struct sample_plan *plan, struct ring *ring, uint32_t type))
NEVER(void event_hit_for(struct event *event, uint64_t addr, const struct regs *regs,
                         uint64_t period))
NEVER(void event_traced_for(struct event *event, struct trace_hit *traced, uint64_t period))
NEVER(uint64_t aggregate_add(struct aggregate *aggregate, const struct aggregate_hit *hit))
NEVER(uint64_t task_followed_ns(unsigned cpu))
NEVER(uint64_t arch_clock_ns(void))
NEVER(uint64_t arch_flags(void))
NEVER(bool arch_cpu_runs(unsigned cpu))
NEVER(bool arch_cpus_park(unsigned *absent))
NEVER(void arch_cpus_release(void))
NEVER(struct regs *arch_stopped_regs(unsigned cpu))
NEVER(const struct arch_stack *arch_stack_find(uintptr_t address))
NEVER(void arch_step_set_handlers(arch_step_handler *stepped, arch_step_handler *resumed))
NEVER(void arch_step_more(struct regs *regs))
NEVER(void arch_step_no_more(struct regs *regs))
NEVER(bool arch_step_possible(const struct regs *regs))
NEVER(void arch_step_begin(void))
NEVER(uintptr_t arch_step_branch(uintptr_t from, uintptr_t to))
