/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reports a hit to the owners of the registers that fired, and to the tracepoint breakpoint:hit.
 * Debug trap of any CPU: no lock, no allocation, no fault; the table does not change meanwhile.
 * What can be decided in advance is decided when the table changes.
 */
#include "core/breakpoint/table.h"
#include "core/host.h"

static void find_accessor(unsigned long *argument);

PITOT_RECORD(hit, 7, PITOT_FIELD(pointer, address, "address=%p"),
             PITOT_FIELD(u32, length, " length=%u"), PITOT_FIELD(text, access, " access=%s"),
             PITOT_FIELD(u64, old, " old=0x%lx"), PITOT_FIELD(u64, new, " new=0x%lx"),
             PITOT_FIELD(code, insn, " insn=%pS"), PITOT_FIELD(text, how, " how=%s"));

/* Not with its name and in its list, as another kernel may have neither. */
struct pitot_tracepoint tracepoint_breakpoint_hit = {.full_name = "breakpoint:hit",
                                                     .name = "hit",
                                                     .field = pitot_field_hit,
                                                     .field_count = PITOT_COUNT(hit),
                                                     .raw_size =
                                                         PITOT_RAW_SIZE(PITOT_RECORD_END(hit)),
                                                     .make = pitot_make_hit,
                                                     .in_memory = true,
                                                     .late = PITOT_INDEX(hit, insn),
                                                     .find_late = find_accessor};
__attribute__((section("own_tracepoints"), used)) static struct pitot_tracepoint *const entry =
    &tracepoint_breakpoint_hit;

/* Arguments behind those of the fields: the watch, and the registers at the hit. */
enum { ARGUMENT_WATCH = PITOT_COUNT(hit), ARGUMENT_REGS, ARGUMENTS };

static uint64_t watched_bytes(const struct arch_watch *watch, uint64_t word)
{
    word >>= 8 * (watch->address % sizeof(word));
    return watch->length < sizeof(word) ? word & ((1ull << 8 * watch->length) - 1) : word;
}

/* The search costs twice as much as the rest of a hit. */
static void find_accessor(unsigned long *argument)
{
    static const char *const how[] = {
        [ARCH_FOUND_NOT] = "unknown",   [ARCH_FOUND_AT] = "at",     [ARCH_FOUND_BEFORE] = "before",
        [ARCH_FOUND_STRING] = "string", [ARCH_FOUND_CALL] = "call",
    };
    struct arch_accessor accessor =
        arch_watch_accessor((const struct regs *)argument[ARGUMENT_REGS],
                            (const struct arch_watch *)argument[ARGUMENT_WATCH]);

    argument[PITOT_INDEX(hit, insn)] = accessor.ip;
    argument[PITOT_INDEX(hit, how)] = (uintptr_t)how[accessor.found];
}

static inline void slot_raise(const struct slot *slot, uint64_t old, uint64_t new,
                              const struct regs *regs)
{
    const struct arch_watch *watch = &slot->watch;
    unsigned long argument[ARGUMENTS];

    argument[PITOT_INDEX(hit, address)] = watch->address;
    argument[PITOT_INDEX(hit, length)] = watch->length;
    argument[PITOT_INDEX(hit, access)] = (uintptr_t)breakpoint_access_letters[watch->access];
    argument[PITOT_INDEX(hit, old)] = watched_bytes(watch, old);
    argument[PITOT_INDEX(hit, new)] = watched_bytes(watch, new);
    argument[ARGUMENT_WATCH] = (uintptr_t)watch;
    argument[ARGUMENT_REGS] = (uintptr_t)regs;
    pitot_raise_memory(&tracepoint_breakpoint_hit, argument, regs);
}

/* Out of line, so that hits without a listener execute none of it. */
__attribute__((noinline, cold)) static void slot_trace(const struct slot *slot, uint64_t old,
                                                       uint64_t new, const struct regs *regs)
{
    slot_raise(slot, old, new, regs);
}

void breakpoint_trace(const struct slot *slot, uint64_t old, uint64_t new, const struct regs *regs)
{
    if (PITOT_SITE(tracepoint_breakpoint_hit))
        slot_trace(slot, old, new, regs);
}

/*
 * Reports the hit to the owners of this register, except to those of the registers in `reported`:
 * each owner gets one report per trap, however many parts were hit. The exchange makes the old
 * bytes of a hit the new bytes of the previous one, on any CPU.
 */
static void slot_hit(struct slot *slot, unsigned reported, struct regs *regs)
{
    struct breakpoint *const *owner = slot->owners, *const *end = owner + slot->owner_count;
    uint64_t new = *slot->word; /* before an owner can write there */
    uint64_t old = __atomic_exchange_n(&slot->shadow, new, __ATOMIC_RELAXED);

    if (__builtin_expect(slot->user, false))
        new = breakpoint_user_exchange(slot, &old);
    do { /* a slot has at least one owner */
        if (!((*owner)->slots & reported))
            (*owner)->hit(*owner, slot->watch.address, regs);
    } while (++owner < end);
    if (PITOT_SITE(tracepoint_breakpoint_hit))
        slot_trace(slot, old, new, regs);
}

/*
 * Trap handlers, indexed by the set of registers that fired. handle_group uses `single`, handle_one
 * the other members; `hit` is a copy, so that handle_one need not read the owner. Made again when
 * the table changes.
 */
static struct handler {
    _Alignas(64) breakpoint_hit *hit;
    struct breakpoint *owner;
    void (*run)(const struct handler *handler, unsigned fired, struct regs *regs);
    uintptr_t address;
    const volatile uint64_t *word;
    uint64_t *shadow;
    const struct slot *slot;
    void (*single)(const struct handler *handler, unsigned fired, struct regs *regs);
} handlers[1u << ARCH_WATCHES];

_Static_assert(sizeof(struct handler) == 64, "a hit reads one cache line of it");

static void handle_each(const struct handler *handler, unsigned fired, struct regs *regs)
{
    unsigned reported = 0;

    (void)handler;
    do { /* at least one register fired */
        slot_hit(&breakpoint_slots.slot[__builtin_ctz(fired)], reported, regs);
        reported |= fired & -fired;
        fired &= fired - 1;
    } while (fired);
}

static void handle_shared(const struct handler *handler, unsigned fired, struct regs *regs)
{
    (void)handler;
    breakpoint_share(fired, regs);
}

/* Out of line, so that hits without a listener save no registers for it. */
__attribute__((noinline)) static void handle_one_traced(const struct handler *handler,
                                                        struct regs *regs)
{
    uint64_t new = *handler->word; /* before the owner can write there */
    uint64_t old = __atomic_exchange_n(handler->shadow, new, __ATOMIC_RELAXED);

    handler->hit(handler->owner, handler->address, regs);
    slot_raise(handler->slot, old, new, regs);
}

/* The common case of slot_hit: one register, on kernel memory, with one owner. */
static void handle_one(const struct handler *handler, unsigned fired, struct regs *regs)
{
    (void)fired;
    if (PITOT_SITE(tracepoint_breakpoint_hit)) {
        handle_one_traced(handler, regs);
        return;
    }
    __atomic_exchange_n(handler->shadow, *handler->word, __ATOMIC_RELAXED);
    handler->hit(handler->owner, handler->address, regs);
}

bool breakpoint_is_group(const struct regs *regs)
{
    uint8_t around[2 * ARCH_REPEAT_AROUND];
    uintptr_t start;

    if (!breakpoint_slots.grouped)
        return false;
    if (!regs_user_mode(regs))
        return arch_watch_repeats_at(regs);
    start = regs->ip - ARCH_REPEAT_AROUND;
    return !host.process_read ||
           !host.process_read(arch_cpu_id(), 0, start, around, sizeof(around)) ||
           arch_watch_repeats(around);
}

/* handler->single handles the traps that report one access. */
static void handle_group(const struct handler *handler, unsigned fired, struct regs *regs)
{
    if (__builtin_expect(breakpoint_is_group(regs), false))
        breakpoint_share(fired, regs);
    else
        handler->single(handler, fired, regs);
}

static struct handler handler_of(unsigned fired)
{
    struct slot *slot = &breakpoint_slots.slot[__builtin_ctz(fired)];

    if (breakpoint_slots.shared)
        return (struct handler){.run = handle_shared};
    if ((fired & (fired - 1)) || slot->owner_count != 1 || slot->user)
        return (struct handler){.run = handle_each};
    return (struct handler){.run = handle_one,
                            .hit = slot->owners[0]->hit,
                            .owner = slot->owners[0],
                            .address = slot->watch.address,
                            .word = slot->word,
                            .shadow = &slot->shadow,
                            .slot = slot};
}

void breakpoint_handlers_make(void)
{
    for (unsigned fired = 1; fired < 1u << ARCH_WATCHES; fired++) {
        handlers[fired] = handler_of(fired);
        if (breakpoint_slots.grouped && !breakpoint_slots.shared) {
            handlers[fired].single = handlers[fired].run;
            handlers[fired].run = handle_group;
        }
    }
}

static void breakpoint_trap(unsigned fired, struct regs *regs)
{
    const struct handler *handler = &handlers[fired];

    handler->run(handler, fired, regs);
}

void breakpoint_init(void)
{
    arch_watch_set_handler(breakpoint_trap);
}
