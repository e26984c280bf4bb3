/* SPDX-License-Identifier: BSD-2-Clause */
/* See unwind.h. The frame layout is that of core/unwind/fp.c. */
#include "core/unwind/unwind.h"

#include "arch/cpu.h"
#include "arch/memory.h"
#include "core/host.h"
#include "core/symbols/symbols.h"

#define FRAMES_MOST 512 /* including skipped ones */

struct user_frame {
    const struct arch_stack *stack;
    uintptr_t ip, sp, fp;
};

static bool programs_are_known(void)
{
    return host.process && host.process_read;
}

/* An address in it; 0: what runs on this CPU. */
static unsigned long address_of(const struct arch_stack *stack)
{
    return stack ? stack->low : 0;
}

static bool program_read(const struct arch_stack *stack, uintptr_t address, void *to, size_t length)
{
    return host.process_read(arch_cpu_id(), address_of(stack), address, to, length);
}

/* Finds the first byte of the function that contains `ip`; false if it is unknown. */
static bool program_function(const struct arch_stack *stack, uintptr_t ip, uintptr_t *start)
{
    const struct pitot_program *program = NULL;
    struct symbol symbol;

    if (!host.process(arch_cpu_id(), address_of(stack), &program) || !program ||
        !symbol_table_find_address(symbol_table_of(program->symbols), ip, &symbol))
        return false;
    *start = symbol.address;
    return true;
}

static enum arch_frame user_frame_place(const struct user_frame *frame)
{
    uintptr_t start;
    bool known = program_function(frame->stack, frame->ip, &start);

    return arch_frame_read(program_read, frame->stack, known ? &start : NULL, frame->ip);
}

static bool user_return(struct user_frame *frame, uintptr_t slot)
{
    uint64_t address;

    if (!program_read(frame->stack, slot, &address, sizeof(address)))
        return false;
    frame->ip = address;
    frame->sp = slot + sizeof(address);
    return true;
}

/*
 * Each frame must lie above the previous one, so no chain loops. A single read, because each read
 * walks page tables.
 */
static bool user_follow(struct user_frame *frame)
{
    uintptr_t at = frame->fp;
    uint64_t saved[2]; /* frame pointer, return address */

    if (at % sizeof(saved[0]) || at < frame->sp ||
        !program_read(frame->stack, at, saved, sizeof(saved)))
        return false;
    frame->fp = saved[0];
    frame->ip = saved[1];
    frame->sp = at + sizeof(saved);
    return true;
}

static bool user_caller(struct user_frame *frame, bool first)
{
    enum arch_frame place = first ? user_frame_place(frame) : ARCH_FRAME_SET;
    bool found = place == ARCH_FRAME_SET    ? user_follow(frame)
                 : place == ARCH_FRAME_NONE ? user_return(frame, frame->sp)
                                            : user_return(frame, frame->sp + sizeof(uint64_t));

    return found && arch_of_programs(frame->ip);
}

size_t unwind_user_capture(const struct unwind_border *border, uint64_t *chain, size_t most)
{
    struct user_frame frame = {border->stack, border->ip, border->sp, border->fp};
    size_t count = 0;
    unsigned seen = 0;

    if (!programs_are_known())
        return 0;
    do {
        if (seen >= border->skip && count < most)
            chain[count++] = frame.ip;
        seen++;
    } while (count < most && seen < FRAMES_MOST && user_caller(&frame, seen == 1));
    return count;
}

static bool find_in_program(const struct unwind_border *border, struct regs *caller)
{
    struct user_frame frame = {border->stack, border->ip, border->sp, border->fp};

    for (unsigned seen = 0; seen < border->skip; seen++)
        if (!programs_are_known() || !user_caller(&frame, seen == 0))
            return false;
    *caller = regs_of_program(frame.ip, frame.sp, frame.fp);
    return true;
}

bool unwind_find_caller(enum unwind_method method, const struct regs *hit, unsigned callers,
                        struct regs *caller)
{
    struct unwind_border border;

    *caller = *hit;
    if (unwind_rewind(method, caller, callers))
        return true;
    /* Unwinds to the border again and, if the chain reaches a program, continues there. */
    *caller = (struct regs){.cs = hit->cs};
    unwind_capture_border(method, hit, callers, NULL, 0, &border);
    return border.crossed && find_in_program(&border, caller);
}
