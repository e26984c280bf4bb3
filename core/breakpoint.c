/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who holds which debug register. All CPUs have the same in theirs; those that watch a program are
 * live on a CPU only while a process of that program runs there. Set and removed in task context,
 * with all other CPUs parked and watches disarmed while the table changes; read by breakpoint_trap
 * in the debug trap of any CPU.
 *
 * Registers are filled narrowest first, and among equal lengths write before read-write. QEMU
 * reports one register only when several match an access, the lowest; real processors and Bochs
 * report all. With this order the one reported is the narrowest, and every other that contains it,
 * and whose access covers its access, was hit as well. What QEMU still keeps back, and no order can
 * tell, is in docs/breakpoints.md.
 */
#include "core/breakpoint.h"

#include "core/breakpoint_trace.h"
#include "core/cpus.h"
#include "core/string.h"

TRACEPOINT_DEFINE_AT(breakpoint, hit, BREAKPOINT_HIT_FIELDS);

/* One register: watch, and who asked for it. Aligned so that finding one takes a shift only. */
struct slot {
    _Alignas(256) struct arch_watch watch;
    struct breakpoint *owners[BREAKPOINT_OWNERS_MAX];
    unsigned owner_count;
    /*
     * The word with the watched bytes, and what was in it at the last hit of any CPU, or when it
     * was armed. All of it, as every hit pays for this, and few are listened to.
     */
    const volatile uint64_t *word;
    uint64_t shadow; /* exchanged by each hit */
    /* A program's: memory is each process's own, so the shadow is user_shadow, and word is not. */
    bool user;
    struct breakpoint_target target;
};

struct slot_table {
    struct slot slot[ARCH_WATCHES];
    unsigned count;
};

static struct slot_table table; /* changed while watches are disarmed */
static uint64_t changes;        /* of the table */

static const struct breakpoint_processes *processes; /* set at boot */

/*
 * Of the process that runs there: read at the switch to it, as nobody else writes its memory, and
 * at its hits. [owning CPU; others while it is parked]
 */
static uint64_t user_shadow[ARCH_CPUS_MAX][ARCH_WATCHES];
static unsigned live[ARCH_CPUS_MAX]; /* bit i: register i is. Likewise */

static const char *const access_letters[] = {
    [ARCH_EXECUTE] = "x", [ARCH_WRITE] = "w", [ARCH_READ_WRITE] = "rw"};

static bool watch_equal(const struct arch_watch *left, const struct arch_watch *right)
{
    return left->address == right->address && left->length == right->length &&
           left->access == right->access;
}

static bool target_equal(const struct breakpoint_target *left,
                         const struct breakpoint_target *right)
{
    return left->program == right->program && left->pid == right->pid;
}

static bool target_is_kernel(const struct breakpoint_target *target)
{
    return !target->program && target->pid == 0;
}

/* True if an access that hits `inner` hits `outer` for certain. */
static bool watch_contains(const struct arch_watch *outer, const struct arch_watch *inner)
{
    if (outer->access == ARCH_EXECUTE || inner->access == ARCH_EXECUTE)
        return false;
    if (outer->access == ARCH_WRITE && inner->access != ARCH_WRITE)
        return false;
    return outer->address <= inner->address &&
           inner->address + inner->length <= outer->address + outer->length;
}

static bool watch_before(const struct arch_watch *left, const struct arch_watch *right)
{
    if (left->length != right->length)
        return left->length < right->length;
    return left->access < right->access;
}

static uint64_t watched_bytes(const struct arch_watch *watch, uint64_t word)
{
    word >>= 8 * (watch->address % sizeof(word));
    return watch->length < sizeof(word) ? word & ((1ull << 8 * watch->length) - 1) : word;
}

/* Apart, so that a hit that nobody listens to has no part of it. */
__attribute__((noinline, cold)) static void slot_trace(const struct slot *slot, uint64_t old,
                                                       uint64_t new, const struct regs *regs)
{
    static const char *const how[] = {
        [ARCH_FOUND_NOT] = "unknown",   [ARCH_FOUND_AT] = "at",     [ARCH_FOUND_BEFORE] = "before",
        [ARCH_FOUND_STRING] = "string", [ARCH_FOUND_CALL] = "call",
    };
    const struct arch_watch *watch = &slot->watch;
    struct arch_accessor accessor = arch_watch_accessor(regs, watch);

    TRACE_AT(breakpoint_hit, regs, (const void *)watch->address, watch->length,
             access_letters[watch->access], watched_bytes(watch, old), watched_bytes(watch, new),
             accessor.ip, how[accessor.found]);
}

/* All of the aligned word, as that of the kernel's memory; 0 where it is not there. */
static uint64_t user_word(const struct slot *slot)
{
    uint64_t word = 0;

    if (slot->watch.access != ARCH_EXECUTE &&
        !processes->read(slot->watch.address & ~(sizeof(word) - 1), &word, sizeof(word)))
        word = 0;
    return word;
}

/* Takes the old word, leaves and returns the new one. Apart from the way of the kernel's hits. */
__attribute__((noinline)) static uint64_t user_exchange(const struct slot *slot, uint64_t *old)
{
    uint64_t *shadow = &user_shadow[arch_cpu_id()][slot - table.slot];
    uint64_t new = user_word(slot);

    *old = *shadow;
    *shadow = new;
    return new;
}

/*
 * Tells each owner of this register whom none of `told`, the registers before it, has told already:
 * once a trap, however many of its parts were hit. By the exchange each hit's old bytes are those
 * that the hit before it, of whichever CPU, called new.
 */
static void slot_hit(struct slot *slot, unsigned told, struct regs *regs)
{
    struct breakpoint *const *owner = slot->owners, *const *end = owner + slot->owner_count;
    uint64_t new = *slot->word; /* before an owner can write there */
    uint64_t old = __atomic_exchange_n(&slot->shadow, new, __ATOMIC_RELAXED);

    if (__builtin_expect(slot->user, false))
        new = user_exchange(slot, &old);
    do { /* there is one, or there were no slot */
        if (!((*owner)->slots & told))
            (*owner)->hit(*owner, slot->watch.address, regs);
    } while (++owner < end);
    if (TRACE_ON(breakpoint_hit))
        slot_trace(slot, old, new, regs);
}

/* Apart from breakpoint_trap, which needs it only when several registers are armed. */
__attribute__((noinline)) static unsigned table_add_containing(unsigned fired)
{
    unsigned all = fired, here = live[arch_cpu_id()];

    for (unsigned inner = 0; inner < table.count; inner++)
        for (unsigned outer = 0; fired & (1u << inner) && outer < table.count; outer++)
            if (watch_contains(&table.slot[outer].watch, &table.slot[inner].watch))
                all |= 1u << outer;
    return all & here;
}

static void breakpoint_trap(unsigned fired, struct regs *regs)
{
    unsigned hit = table.count > 1 ? table_add_containing(fired) : fired;
    unsigned told = 0;

    for (; hit; hit &= hit - 1) {
        unsigned i = (unsigned)__builtin_ctz(hit);

        slot_hit(&table.slot[i], told, regs);
        told |= 1u << i;
    }
}

/* The largest aligned power of two, up to 8, that begins at `address` and fits into `length`. */
static uint8_t part_length(uintptr_t address, size_t length)
{
    uint8_t part = 8;

    while (part > length || address % part)
        part /= 2;
    return part;
}

struct parts {
    struct arch_watch watch[ARCH_WATCHES];
    unsigned count;
    unsigned needed; /* more than ARCH_WATCHES: does not fit */
};

static struct parts breakpoint_split(const struct breakpoint *breakpoint)
{
    struct parts parts = {.count = 0};
    uintptr_t at = breakpoint->address, end = at + breakpoint->length;

    while (at < end) {
        uint8_t length = part_length(at, end - at);

        if (parts.count < ARCH_WATCHES)
            parts.watch[parts.count++] = (struct arch_watch){at, length, breakpoint->access};
        parts.needed++;
        at += length;
    }
    return parts;
}

static int refuse_shape(const struct breakpoint *breakpoint, struct refusal *why)
{
    uintptr_t address = breakpoint->address;
    size_t length = breakpoint->length;

    if (length == 0 || length > BREAKPOINT_LENGTH_MAX)
        return refuse(why, EINVAL, "length %zu: 1 to %d bytes are possible", length,
                      BREAKPOINT_LENGTH_MAX);
    if (breakpoint->access == ARCH_EXECUTE && length != 1)
        return refuse(why, EINVAL,
                      "an execute breakpoint has length 1: it is on an instruction's first byte");
    if (!arch_canonical(address) || !arch_canonical(address + length - 1) ||
        address + length < address)
        return refuse(why, EINVAL, "0x%lx is not a canonical address: no access can ever be there",
                      (unsigned long)address);
    if (length <= 8 && !(length & (length - 1)) && address % length)
        return refuse(why, EINVAL,
                      "0x%lx is not a multiple of %zu: a register watches aligned ranges; "
                      "0x%lx/%zu is the one around it",
                      (unsigned long)address, length, (unsigned long)(address & ~(length - 1)),
                      length);
    return 0;
}

static int refuse_user_place(const struct breakpoint *breakpoint, struct refusal *why)
{
    if (breakpoint->address >= ARCH_USER_END)
        return refuse(why, EINVAL, "0x%lx is no address of a program: those lie below 0x%lx",
                      (unsigned long)breakpoint->address, (unsigned long)ARCH_USER_END);
    if (!processes)
        return refuse(why, EINVAL, "0x%lx: no programs run here",
                      (unsigned long)breakpoint->address);
    return processes->refuse_place(breakpoint, why);
}

static int refuse_place(const struct breakpoint *breakpoint, struct refusal *why)
{
    if (!target_is_kernel(&breakpoint->target))
        return refuse_user_place(breakpoint, why);

    const char *forbidden = arch_watch_forbidden(breakpoint->address, breakpoint->length);

    if (!arch_mapped(breakpoint->address, breakpoint->length))
        return refuse(why, EFAULT, "0x%lx is not mapped: no access there can hit, it faults first",
                      (unsigned long)breakpoint->address);
    if (forbidden)
        return refuse(why, EPERM, "0x%lx/%zu overlaps %s: the debug trap itself uses it",
                      (unsigned long)breakpoint->address, breakpoint->length, forbidden);
    if (breakpoint->access == ARCH_EXECUTE && !arch_executable(breakpoint->address))
        return refuse(why, EINVAL,
                      "0x%lx is not executable: an execute breakpoint there cannot hit",
                      (unsigned long)breakpoint->address);
    return 0;
}

static size_t describe_slot(const struct slot *slot, char *text, size_t size)
{
    size_t length =
        print_into(text, size, "0x%lx/%u:%s for %s", (unsigned long)slot->watch.address,
                   slot->watch.length, access_letters[slot->watch.access], slot->owners[0]->owner);

    if (slot->owner_count > 1 && length < size)
        length += print_into(text + length, size - length, " and %u more", slot->owner_count - 1);
    return length;
}

/* "4 needed, 1 free; held: perf mem:a:w, perf mem:b:rw, gdb watch c" */
static int refuse_space(unsigned needed, unsigned available, struct refusal *why)
{
    char holders[160] = "";
    size_t length = 0;

    for (unsigned i = 0; i < table.count && length < sizeof(holders); i++)
        length += print_into(holders + length, sizeof(holders) - length, "%s%s", i ? ", " : "",
                             table.slot[i].owners[0]->owner);
    return refuse(why, ENOSPC, "%u debug register%s needed, %u of %u free; held by %s", needed,
                  needed == 1 ? "" : "s", available, ARCH_WATCHES,
                  table.count ? holders : "nobody");
}

/*
 * Puts `owner` on the register of `watch`, a new one in its place in the order if there is none
 * yet.
 */
static bool table_add(struct slot_table *next, const struct arch_watch *watch,
                      struct breakpoint *owner)
{
    unsigned place = 0;

    for (unsigned i = 0; i < next->count; i++) {
        struct slot *slot = &next->slot[i];

        if (watch_equal(&slot->watch, watch) && target_equal(&slot->target, &owner->target)) {
            if (slot->owner_count == BREAKPOINT_OWNERS_MAX)
                return false;
            slot->owners[slot->owner_count++] = owner;
            return true;
        }
        if (watch_before(&slot->watch, watch))
            place = i + 1;
    }
    if (next->count == ARCH_WATCHES)
        return false;
    memmove(&next->slot[place + 1], &next->slot[place],
            (next->count - place) * sizeof(next->slot[0]));
    next->slot[place] = (struct slot){.watch = *watch,
                                      .owners = {owner},
                                      .owner_count = 1,
                                      .user = !target_is_kernel(&owner->target),
                                      .target = owner->target};
    next->count++;
    return true;
}

static void slot_drop_owner(struct slot *slot, const struct breakpoint *owner)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < slot->owner_count; i++)
        if (slot->owners[i] != owner)
            slot->owners[kept++] = slot->owners[i];
    slot->owner_count = kept;
}

static void table_drop(struct slot_table *next, const struct breakpoint *owner)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < next->count; i++) {
        slot_drop_owner(&next->slot[i], owner);
        if (next->slot[i].owner_count > 0)
            next->slot[kept++] = next->slot[i];
    }
    next->count = kept;
}

/* Which registers each owner has. */
static void table_note_slots(void)
{
    for (unsigned i = 0; i < table.count; i++)
        for (unsigned owner = 0; owner < table.slot[i].owner_count; owner++)
            table.slot[i].owners[owner]->slots = 0;
    for (unsigned i = 0; i < table.count; i++)
        for (unsigned owner = 0; owner < table.slot[i].owner_count; owner++)
            table.slot[i].owners[owner]->slots |= 1u << i;
}

/* Registers behind the table are not its affair: who arms beneath it arms them everywhere. */
static unsigned table_live(unsigned cpu)
{
    unsigned bits = ~0u << table.count;

    for (unsigned i = 0; i < table.count; i++)
        if (!table.slot[i].user || processes->runs(cpu, &table.slot[i].target))
            bits |= 1u << i;
    return bits;
}

static void table_take_shadows(unsigned cpu)
{
    for (unsigned i = 0; i < table.count; i++)
        if (table.slot[i].user && live[cpu] & (1u << i))
            user_shadow[cpu][i] = user_word(&table.slot[i]);
}

/*
 * A CPU may be parked anywhere in here, and find another table when it goes on: then what it has
 * chosen was for the old one.
 */
void breakpoint_switch(void)
{
    unsigned cpu = arch_cpu_id();
    uint64_t before;

    do {
        before = local_load(&changes);
        live[cpu] = table_live(cpu);
        table_take_shadows(cpu);
        arch_watch_select(cpu, live[cpu]);
    } while (local_load(&changes) != before);
}

static void table_select(void)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        live[cpu] = table_live(cpu);
        arch_watch_select(cpu, live[cpu]);
    }
    table_take_shadows(arch_cpu_id());
}

/*
 * All CPUs are parked. Nothing can hit between disarm and arm, so the debug trap never sees a table
 * that does not match the registers.
 */
static void table_switch(const struct slot_table *next)
{
    static const uint64_t nothing;
    struct arch_watch watches[ARCH_WATCHES];

    arch_watch_disarm();
    table = *next;
    table_note_slots();
    for (unsigned i = 0; i < table.count; i++) {
        struct slot *slot = &table.slot[i];

        watches[i] = slot->watch;
        slot->word = slot->user ? &nothing : arch_watch_word(&slot->watch);
        slot->shadow = *slot->word;
    }
    local_increment(&changes);
    table_select();
    arch_watch_arm(watches, table.count);
}

static unsigned table_new_watches(const struct parts *parts, const struct breakpoint_target *target)
{
    unsigned new = 0;

    for (unsigned part = 0; part < parts->count; part++) {
        bool shared = false;

        for (unsigned i = 0; i < table.count; i++)
            shared |= watch_equal(&table.slot[i].watch, &parts->watch[part]) &&
                      target_equal(&table.slot[i].target, target);
        new += !shared;
    }
    return new + parts->needed - parts->count;
}

/* All CPUs are parked: nobody else sets one. */
static int table_install(struct breakpoint *breakpoint, struct refusal *why)
{
    static struct slot_table next; /* too large for the stack */
    struct parts parts = breakpoint_split(breakpoint);

    unsigned needed = table_new_watches(&parts, &breakpoint->target);

    if (needed > ARCH_WATCHES - table.count)
        return refuse_space(needed, ARCH_WATCHES - table.count, why);
    next = table;
    for (unsigned i = 0; i < parts.count; i++)
        if (!table_add(&next, &parts.watch[i], breakpoint))
            return refuse(why, ENOSPC, "%d owners share this register already",
                          BREAKPOINT_OWNERS_MAX);
    table_switch(&next);
    return 0;
}

int breakpoint_install(struct breakpoint *breakpoint, struct refusal *why)
{
    int error = refuse_shape(breakpoint, why);

    if (!error)
        error = refuse_place(breakpoint, why);
    if (!error)
        error = cpus_park(why);
    if (error)
        return error;
    error = table_install(breakpoint, why);
    cpus_release();
    return error;
}

void breakpoint_remove(struct breakpoint *breakpoint)
{
    static struct slot_table next; /* too large for the stack; nobody else while all are parked */

    cpus_park_surely();
    next = table;
    table_drop(&next, breakpoint);
    table_switch(&next);
    cpus_release();
}

unsigned breakpoint_used(void)
{
    return table.count;
}

void breakpoint_print(struct sink *sink)
{
    for (unsigned i = 0; i < ARCH_WATCHES; i++) {
        char text[160] = "free";

        if (i < table.count)
            describe_slot(&table.slot[i], text, sizeof(text));
        print_to(sink, "  dr%u  %s\n", i, text);
    }
}

void breakpoint_set_processes(const struct breakpoint_processes *with)
{
    processes = with;
}

void breakpoint_init(void)
{
    arch_watch_set_handler(breakpoint_trap);
}
