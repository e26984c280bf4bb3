/* SPDX-License-Identifier: BSD-2-Clause */
/* See caller.h. */
#include "core/unwind/caller.h"

#include "core/unwind/user.h"

/*
 * For a frame beyond the kernel: unwinds to the border again, then continues in the program, if
 * there is one.
 */
static bool find_in_program(enum unwind_method method, const struct regs *hit, unsigned callers,
                            struct regs *caller)
{
    struct unwind_border border;

    unwind_capture_border(method, hit, callers, NULL, 0, &border);
    if (!border.crossed || !unwind_user_find(&border))
        return false;
    *caller = regs_of_program(border.ip, border.sp, border.fp);
    return true;
}

bool caller_find(enum unwind_method method, const struct regs *hit, unsigned callers,
                 struct regs *caller)
{
    *caller = *hit;
    if (unwind_rewind_by(method, caller, callers))
        return true;
    *caller = (struct regs){.cs = hit->cs};
    return find_in_program(method, hit, callers, caller);
}
