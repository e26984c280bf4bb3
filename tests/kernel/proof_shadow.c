/* SPDX-License-Identifier: BSD-2-Clause */
/* See proof_shadow.h. Intel SDM vol. 2 for the instructions' bytes. */
#include "tests/kernel/proof_shadow.h"

#include "arch/regs.h"
#include "arch/unwind.h"

#define VECTORS_END 256 /* smaller slots are vectors */
#define STI         0xfb
#define CALL_LENGTH 8 /* bytes, at most */

enum step { STEP_PLAIN, STEP_CALL, STEP_RETURN, STEP_TRAP_RETURN };

static enum step step_kind(const uint8_t *code)
{
    bool wide = false;

    if (*code == 0xf3) /* rep ret, which some compilers emit */
        code++;
    if ((*code & 0xf0) == 0x40) { /* REX */
        wide = *code & 8;
        code++;
    }
    if (*code == 0xe8 || (code[0] == 0xff && (code[1] & 0x38) == 0x10))
        return STEP_CALL;
    if (*code == 0xc3 || *code == 0xc2)
        return STEP_RETURN;
    return wide && *code == 0xcf ? STEP_TRAP_RETURN : STEP_PLAIN;
}

/* QEMU delays the trap after sti until one more instruction has run. */
static const uint8_t *last_instruction(uintptr_t before, uintptr_t now)
{
    const uint8_t *code = (const uint8_t *)before;

    return *code == STI && now != before + 1 ? code + 1 : code;
}

static void shadow_break(struct shadow *shadow)
{
    if (shadow->broken++ == 0)
        shadow->first_broken = shadow->ip;
}

/* Leaves one place free for shadow_chain. */
static void shadow_push(struct shadow *shadow, uintptr_t address, uintptr_t slot)
{
    if (shadow->top < 2) {
        shadow_break(shadow);
        return;
    }
    shadow->top--;
    shadow->chain[shadow->top] = address;
    shadow->slot[shadow->top] = slot;
}

static void shadow_pop(struct shadow *shadow)
{
    if (shadow->top + 1 < SHADOW_MOST)
        shadow->top++;
    else
        shadow_break(shadow);
}

void shadow_start(struct shadow *shadow, const uint64_t *base, size_t length)
{
    *shadow = (struct shadow){.top = SHADOW_MOST};
    for (size_t i = length; i > 0; i--)
        shadow_push(shadow, base[i - 1], UINTPTR_MAX);
}

static void shadow_call(struct shadow *shadow, const struct regs *regs)
{
    uintptr_t return_address = *(const uintptr_t *)regs->sp;

    if (shadow->ip && return_address - shadow->ip > CALL_LENGTH)
        shadow_break(shadow);
    shadow_push(shadow, return_address, regs->sp);
}

static void shadow_return(struct shadow *shadow, const struct regs *regs)
{
    if (shadow->chain[shadow->top] != regs->ip || shadow->slot[shadow->top] >= regs->sp)
        shadow_break(shadow);
    shadow_pop(shadow);
}

static int shadow_trap_return(struct shadow *shadow, const struct regs *regs)
{
    int vector = (int)shadow->slot[shadow->top];

    if (shadow->chain[shadow->top] != regs->ip || shadow->slot[shadow->top] >= VECTORS_END) {
        shadow_break(shadow);
        return -1;
    }
    shadow_pop(shadow);
    shadow->traps--;
    return vector;
}

/*
 * A stack pointer that has risen above a return address without a return, on the same stack, has
 * abandoned the frames below it.
 */
static void shadow_escape(struct shadow *shadow, uintptr_t sp)
{
    while (shadow->slot[shadow->top] < sp && shadow->slot[shadow->top] >= VECTORS_END &&
           arch_stack_find(shadow->slot[shadow->top]) == arch_stack_find(sp)) {
        shadow_pop(shadow);
        shadow->escaped++;
    }
}

int shadow_step(struct shadow *shadow, const struct regs *regs)
{
    enum step kind = STEP_CALL;
    int ended = -1;

    if (regs->ip == shadow->ip) /* an iteration of a string instruction */
        return ended;
    if (shadow->ip)
        kind = step_kind(last_instruction(shadow->ip, regs->ip));
    if (kind == STEP_CALL)
        shadow_call(shadow, regs);
    else if (kind == STEP_RETURN)
        shadow_return(shadow, regs);
    else if (kind == STEP_TRAP_RETURN)
        ended = shadow_trap_return(shadow, regs);
    shadow_escape(shadow, regs->sp);
    shadow->ip = regs->ip;
    return ended;
}

/*
 * int3 traps after its instruction, an interrupt arrives before one: hence a difference of 1 or 0.
 */
void shadow_trap(struct shadow *shadow, const struct regs *regs, unsigned vector)
{
    uintptr_t interrupted = *(const uintptr_t *)regs->sp;

    if (interrupted - shadow->ip > 1)
        shadow_break(shadow);
    shadow_push(shadow, interrupted, vector);
    shadow->traps++;
    shadow->ip = regs->ip;
}

const uint64_t *shadow_chain(struct shadow *shadow, uintptr_t ip, size_t *length)
{
    shadow->chain[shadow->top - 1] = ip;
    *length = SHADOW_MOST - shadow->top + 1;
    return &shadow->chain[shadow->top - 1];
}

bool shadow_stands_in(const struct shadow *shadow, uintptr_t start, uintptr_t end)
{
    if (shadow->ip >= start && shadow->ip < end)
        return true;
    for (size_t i = shadow->top; shadow->traps > 0 && i < SHADOW_MOST; i++)
        if (shadow->slot[i] < VECTORS_END && shadow->chain[i] >= start && shadow->chain[i] < end)
            return true;
    return false;
}

bool shadow_serves(const struct shadow *shadow, unsigned vector)
{
    for (size_t i = shadow->top; shadow->traps > 0 && i < SHADOW_MOST; i++)
        if (shadow->slot[i] == vector)
            return true;
    return false;
}
