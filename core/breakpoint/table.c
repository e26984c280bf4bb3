/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * See table.h. Holds the installed breakpoints and switches from one table to the next. The
 * registers are the same on all CPUs; one that watches a program is live on a CPU only while a
 * process of that program runs there.
 */
#include "core/breakpoint/table.h"

#include "arch/cpu.h"
#include "arch/local.h"
#include "core/host.h"
#include "core/lib/assert.h"
#include "core/lib/string.h"

#define INSTALLED_MAX (ARCH_WATCHES * BREAKPOINT_OWNERS_MAX)

struct slot_table breakpoint_slots;
unsigned breakpoint_live[ARCH_CPUS_MAX];

const char *const breakpoint_access_letters[] = {
    [ARCH_EXECUTE] = "x", [ARCH_WRITE] = "w", [ARCH_READ_WRITE] = "rw"};

static struct breakpoint *installed[INSTALLED_MAX]; /* [all CPUs parked] */
static unsigned installed_count;                    /* [all CPUs parked] */
static uint64_t changes; /* [all CPUs parked] how often the table has changed */

/*
 * The watched word of the process that runs on that CPU. Read when a switch or a table change makes
 * the register live, and at each hit; no other process writes this memory. [owning CPU; others
 * while it is parked]
 */
static uint64_t user_shadow[ARCH_CPUS_MAX][ARCH_WATCHES];

/*
 * Returns the whole aligned word, as for kernel memory, or 0 if it is not mapped or the watch is
 * for execution.
 */
static uint64_t user_word(unsigned cpu, const struct slot *slot)
{
    uint64_t word = 0;

    if (slot->watch.access != ARCH_EXECUTE &&
        !host.process_read(cpu, 0, slot->watch.address & ~(sizeof(word) - 1), &word, sizeof(word)))
        word = 0;
    return word;
}

/* Out of line: hits in the kernel do not pay for it. */
__attribute__((noinline)) uint64_t breakpoint_user_exchange(const struct slot *slot, uint64_t *old)
{
    unsigned cpu = arch_cpu_id();
    uint64_t *shadow = &user_shadow[cpu][slot - breakpoint_slots.slot];
    uint64_t new = user_word(cpu, slot);

    *old = *shadow;
    *shadow = new;
    return new;
}

/* --- Which registers are live. --- */

static bool target_runs(unsigned cpu, const struct breakpoint_target *target)
{
    const struct pitot_program *program = NULL;
    unsigned pid = host.process(cpu, 0, &program);

    return pid && (!target->pid || target->pid == pid) &&
           (!target->program || target->program == program);
}

/* Registers after the table's last one belong to other code, which arms them on every CPU. */
static void table_select(unsigned cpu)
{
    unsigned live = ~0u << breakpoint_slots.count;

    for (unsigned i = 0; i < breakpoint_slots.count; i++) {
        const struct slot *slot = &breakpoint_slots.slot[i];

        if (!slot->user || target_runs(cpu, &slot->target))
            live |= 1u << i;
    }
    breakpoint_live[cpu] = live;
    for (unsigned i = 0; i < breakpoint_slots.count; i++)
        if (breakpoint_slots.slot[i].user && live & (1u << i))
            user_shadow[cpu][i] = user_word(cpu, &breakpoint_slots.slot[i]);
    arch_watch_select(cpu, live);
}

/* If this CPU is parked in table_select and the table changes, it selects again. */
void pitot_program_runs(void)
{
    uint64_t before;

    do {
        before = local_load(&changes);
        table_select(arch_cpu_id());
    } while (local_load(&changes) != before);
}

/* --- Switching tables. --- */

static bool table_is_shared(const struct slot_table *next)
{
    const struct slot *data = NULL;

    for (unsigned i = 0; i < next->count; i++) {
        const struct slot *slot = &next->slot[i];

        for (unsigned owner = 0; owner < slot->owner_count; owner++)
            if (!breakpoint_watch_equal(&slot->parts[owner], &slot->watch))
                return true;
        if (slot->watch.access == ARCH_EXECUTE)
            continue;
        if (next->lowest_only && data &&
            (data->owner_count != 1 || slot->owner_count != 1 ||
             data->owners[0] != slot->owners[0]))
            return true;
        data = slot;
    }
    return false;
}

static void table_add(struct slot_table *next, const struct breakpoint_plan *plan,
                      struct breakpoint *owner)
{
    struct breakpoint_parts parts = breakpoint_split(owner);

    for (unsigned i = 0; i < parts.count; i++) {
        struct slot *slot = &next->slot[breakpoint_plan_find(plan, &parts.part[i])];

        assert(slot->owner_count < BREAKPOINT_OWNERS_MAX); /* checked by refuse_owners */
        slot->parts[slot->owner_count] = parts.part[i].watch;
        slot->owners[slot->owner_count++] = owner;
    }
}

static void table_make(struct slot_table *next, const struct breakpoint_plan *plan)
{
    assert(plan->count <= ARCH_WATCHES);
    memset(next, 0, sizeof(*next));
    next->count = plan->count;
    for (unsigned i = 0; i < plan->count; i++) {
        next->slot[i].watch = plan->reg[i].watch;
        next->slot[i].target = *plan->reg[i].target;
        next->slot[i].user = !breakpoint_target_is_kernel(plan->reg[i].target);
    }
    for (unsigned i = 0; i < installed_count; i++)
        table_add(next, plan, installed[i]);
    arch_watch_probe();
    next->lowest_only = !arch_watch_reports_all();
    next->grouped = arch_watch_groups();
    next->beside = arch_watch_reports_beside();
    next->shared = table_is_shared(next);
}

/* All watches are off while the table changes, so the debug trap never sees a half-changed one. */
static void table_switch(const struct breakpoint_plan *plan)
{
    static const uint64_t nothing;
    static struct slot_table next; /* too large for the stack */
    struct arch_watch watches[ARCH_WATCHES];

    table_make(&next, plan);
    arch_watch_disarm();
    breakpoint_slots = next;
    for (unsigned i = 0; i < installed_count; i++)
        installed[i]->slots = 0;
    for (unsigned i = 0; i < breakpoint_slots.count; i++) {
        struct slot *slot = &breakpoint_slots.slot[i];

        assert(slot->owner_count > 0); /* a hit calls the first owner without a check */
        for (unsigned owner = 0; owner < slot->owner_count; owner++)
            slot->owners[owner]->slots |= 1u << i;
        watches[i] = slot->watch;
        slot->word = slot->user ? &nothing : arch_watch_word(&slot->watch);
        slot->seen = slot->shadow = *slot->word;
    }
    breakpoint_handlers_make();
    local_increment(&changes);
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        table_select(cpu);
    arch_watch_arm(watches, breakpoint_slots.count);
}

/* Plans for the first `count` installed breakpoints. Returns false if PLAN_MAX is too small. */
static bool plan_make(struct breakpoint_plan *plan, unsigned count, unsigned most)
{
    plan->count = 0;
    for (unsigned i = 0; i < count; i++)
        if (!breakpoint_plan_add(plan, installed[i]))
            return false;
    breakpoint_plan_squeeze(plan, most);
    return true;
}

/* --- Installing and removing. --- */

/* Returns how many parts of this breakpoint may share a register with `part` in some plan. */
static unsigned parts_beside(const struct breakpoint *breakpoint,
                             const struct breakpoint_range *part)
{
    struct breakpoint_parts parts = breakpoint_split(breakpoint);
    unsigned count = 0;

    for (unsigned i = 0; i < parts.count; i++)
        count += breakpoint_parts_may_meet(&parts.part[i], part);
    return count;
}

/*
 * Refuses a breakpoint if a register may get too many owners. Counts them for the worst plan: no
 * later plan, such as after a removal, has more.
 */
static int refuse_owners(const struct breakpoint *breakpoint, struct refusal *why)
{
    struct breakpoint_parts parts = breakpoint_split(breakpoint);

    for (unsigned i = 0; i < parts.count; i++) {
        unsigned owners = parts_beside(breakpoint, &parts.part[i]);

        for (unsigned other = 0; other < installed_count; other++)
            owners += parts_beside(installed[other], &parts.part[i]);
        if (owners > BREAKPOINT_OWNERS_MAX)
            return refuse(why, ENOSPC, "%d owners share this register already",
                          BREAKPOINT_OWNERS_MAX);
    }
    return 0;
}

/* Plans for all installed breakpoints; the last is the new one. */
static int table_plan(struct breakpoint_plan *plan, struct refusal *why)
{
    char holders[160] = "";
    unsigned others, all;
    size_t length = 0;

    if (plan_make(plan, installed_count, ARCH_WATCHES) && plan->count <= ARCH_WATCHES)
        return 0;
    all = plan->count;
    plan_make(plan, installed_count - 1, 0);
    others = plan->count;
    assert(others <= ARCH_WATCHES && others < all); /* the others fit without the new one */
    for (unsigned i = 0; i < breakpoint_slots.count && length < sizeof(holders); i++)
        length += print_into(holders + length, sizeof(holders) - length, "%s%s", i ? ", " : "",
                             breakpoint_slots.slot[i].owners[0]->owner);
    return refuse(why, ENOSPC, "%u debug register%s needed, %u of %u free; held by %s",
                  all - others, all - others == 1 ? "" : "s", ARCH_WATCHES - others, ARCH_WATCHES,
                  breakpoint_slots.count ? holders : "nobody");
}

static bool is_installed(const struct breakpoint *breakpoint)
{
    for (unsigned i = 0; i < installed_count; i++)
        if (installed[i] == breakpoint)
            return true;
    return false;
}

int breakpoint_table_install(struct breakpoint *breakpoint, struct refusal *why)
{
    static struct breakpoint_plan plan; /* too large for the stack */
    int error = refuse_owners(breakpoint, why);

    if (error)
        return error;
    assert(!is_installed(breakpoint));
    assert(installed_count < INSTALLED_MAX); /* refuse_owners limits the owners */
    installed[installed_count++] = breakpoint;
    error = table_plan(&plan, why);
    if (error) {
        installed_count--;
        return error;
    }
    table_switch(&plan);
    return 0;
}

void breakpoint_table_remove(const struct breakpoint *breakpoint)
{
    static struct breakpoint_plan plan;
    unsigned kept = 0;
    bool fits;

    assert(is_installed(breakpoint));
    for (unsigned i = 0; i < installed_count; i++)
        if (installed[i] != breakpoint)
            installed[kept++] = installed[i];
    installed_count = kept;
    fits = plan_make(&plan, installed_count, ARCH_WATCHES);
    assert(fits); /* a watched word needs at most one register, and none is new */
    table_switch(&plan);
}
