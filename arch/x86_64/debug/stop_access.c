/* SPDX-License-Identifier: BSD-2-Clause */
/* See stop.h: decodes the instruction, and compares the bytes before and after. */

#include "arch/cpu.h"
#include "arch/program.h"
#include "arch/x86_64/debug/debugreg.h"
#include "arch/x86_64/debug/operand.h"
#include "arch/x86_64/debug/report.h"
#include "arch/x86_64/debug/stop.h"

static bool is_watched(unsigned cpu, unsigned i)
{
    return percpu[cpu].live & 1u << i && debugreg.watches[i].access != ARCH_EXECUTE;
}

/*
 * Returns the watched word; for a program's address, that of the CPU's current process, or 0 if it
 * is not mapped there.
 */
static uint64_t word_on(unsigned cpu, const struct arch_watch *watch)
{
    const struct arch_space *space;
    uint64_t word = 0;

    if (!STOP_OWN_KERNEL || watch->address >= ARCH_USER_END)
        return *arch_watch_word(watch);
    space = space_of_cpu(cpu);
    if (!space || !arch_user_read(space, watch->address & ~(sizeof(word) - 1), &word, sizeof(word)))
        return 0;
    return word;
}

void stop_access_prepare(struct stop_access *access, unsigned cpu, const struct regs *regs)
{
    *access = (struct stop_access){.before = *regs};
    for (unsigned i = 0; i < STOP_ACCESS_TEXT; i++)
        if (!stop_step_read(cpu, regs, regs->ip + i, &access->text[i], 1))
            break;
    for (unsigned i = 0; i < ARCH_WATCHES; i++)
        access->words[i] = is_watched(cpu, i) ? word_on(cpu, &debugreg.watches[i]) : 0;
}

static bool has_changed(const struct stop_access *access, unsigned i)
{
    const struct arch_watch *watch = &debugreg.watches[i];
    uint64_t difference = access->words[i] ^ word_on(arch_cpu_id(), watch);

    difference >>= 8 * (watch->address % sizeof(uint64_t));
    return difference << (64 - 8 * watch->length);
}

/* A step of a repeated instruction is one iteration; the last, with rcx 0, makes no access. */
static unsigned accesses_of(const struct stop_access *access, const struct regs *regs,
                            struct arch_made made[ARCH_MADE_MAX])
{
    uintptr_t ip = access->before.ip, text = (uintptr_t)access->text;
    unsigned length = operand_length(access->text), count;
    bool repeated = group_is_repeated(access->text);

    if (length == 0 || (repeated && access->before.cx == 0))
        return 0;
    if (regs->ip != ip + length && !(repeated && regs->ip == ip))
        return 0;
    count = operand_made(text, ip + length, regs, made);
    if (count == 1 && !made[0].placed)
        operand_place(text, ip + length, &access->before, &made[0]);
    return count;
}

static bool has_hit(const struct arch_made *made, const struct arch_watch *watch)
{
    return made->placed && arch_made_is_watched(made, watch->access) &&
           arch_watch_touches(watch, made->address, made->size);
}

unsigned stop_access_made(const struct stop_access *access, const struct regs *regs)
{
    struct arch_made made[ARCH_MADE_MAX];
    unsigned count = accesses_of(access, regs, made), hit = 0;

    for (unsigned i = 0; i < ARCH_WATCHES; i++) {
        bool hits = is_watched(arch_cpu_id(), i) && has_changed(access, i);

        for (unsigned j = 0; j < count; j++)
            hits |= is_watched(arch_cpu_id(), i) && has_hit(&made[j], &debugreg.watches[i]);
        hit |= hits ? 1u << i : 0;
    }
    return hit;
}
