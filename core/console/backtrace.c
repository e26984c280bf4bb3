/* SPDX-License-Identifier: BSD-2-Clause */
/* See backtrace.h. */
#include "core/console/backtrace.h"

#include "core/lib/print.h"
#include "core/symbols/symbols.h"

void backtrace_take(struct backtrace *backtrace, const struct regs *regs)
{
    struct unwind state;

    backtrace->frames = 0;
    for (unwind_start(&state, regs); !unwind_done(&state); unwind_next(&state)) {
        size_t at = backtrace->frames++;
        struct backtrace_frame *frame =
            at < BACKTRACE_FIRST ? &backtrace->first[at] : &backtrace->last[at % BACKTRACE_LAST];

        *frame = (struct backtrace_frame){.ip = state.ip, .kind = state.kind};
        if (state.kind == UNWIND_TRAP && state.regs)
            frame->trap = arch_trap_name(state.regs);
    }
    backtrace->end = state.end;
    backtrace->user_ip = state.ip;
}

static void print_frame(const struct backtrace_frame *frame, struct sink *to)
{
    char place[96];

    print_to(to, "  %016lx  %s  %s", (unsigned long)frame->ip, unwind_kind_name(frame->kind),
             frame->kind == UNWIND_CALL ? symbols_describe_return(frame->ip, place, sizeof(place))
                                        : symbols_describe(frame->ip, place, sizeof(place)));
    if (frame->trap)
        print_to(to, "  <%s>", frame->trap);
    print_to(to, "\n");
}

void backtrace_print(const struct backtrace *backtrace, struct sink *to)
{
    size_t at = 0, frames = backtrace->frames;

    for (; at < frames && at < BACKTRACE_FIRST; at++)
        print_frame(&backtrace->first[at], to);
    if (frames > BACKTRACE_FIRST + BACKTRACE_LAST) {
        at = frames - BACKTRACE_LAST;
        print_to(to, "  ... %zu frames ...\n", at - BACKTRACE_FIRST);
    }
    for (; at < frames; at++)
        print_frame(&backtrace->last[at % BACKTRACE_LAST], to);
    if (backtrace->end == UNWIND_USER)
        print_to(to, "  %016lx  user\n", (unsigned long)backtrace->user_ip);
    else if (backtrace->end != UNWIND_OUTERMOST)
        print_to(to, "  (the chain stops here: %s)\n", unwind_reason(backtrace->end));
}
