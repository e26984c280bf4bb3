/* SPDX-License-Identifier: BSD-2-Clause */
/* gdb's breakpoints and watchpoints (core/gdb/session.h). */
#include "core/gdb/session.h"

#include "arch/cpu.h"
#include "arch/debugger.h"
#include "arch/regs.h"
#include "arch/watch.h"
#include "core/breakpoint/breakpoint.h"
#include "core/lib/assert.h"
#include "core/lib/cpus.h"

#define SOFTWARE_MAX 64
#define HARDWARE_MAX 8 /* more than debug registers, because equal points share one */

/* A free entry has address 0, where nothing is mapped. */
static struct {
    uint64_t address;
    uint8_t old; /* the byte that the breakpoint replaced */
} software[SOFTWARE_MAX];

static struct hardware {
    struct breakpoint breakpoint;
    enum gdb_point kind;
    bool used;
    uint64_t noted; /* the last address here that note_unseen has seen */
} hardware[HARDWARE_MAX];

static bool frozen;

/* [owning CPU; any in a stop] */
static struct {
    bool is;
    enum gdb_point kind;
    uint64_t point;   /* where gdb set the point */
    uint64_t address; /* the address in the register that hit */
} hits[ARCH_CPUS_MAX];

static void note_hit(unsigned cpu, enum gdb_point kind, uint64_t point, uint64_t address)
{
    assert(cpu < arch_cpus() && kind < GDB_POINT_KINDS);
    hits[cpu].kind = kind;
    hits[cpu].point = point;
    hits[cpu].address = address;
    hits[cpu].is = true;
}

static void forget_hits(void)
{
    for (unsigned cpu = 0; cpu < ARCH_CPUS_MAX; cpu++)
        hits[cpu].is = false;
}

/* --- Breakpoint instructions. --- */

static int software_find(uint64_t address)
{
    for (int i = 0; i < SOFTWARE_MAX; i++)
        if (software[i].address == address)
            return i;
    return -1;
}

static int software_set(uint64_t address, struct refusal *why)
{
    const char *problem;
    int place = software_find(0);

    if (address == 0 || software_find(address) >= 0)
        return address ? 0 : refuse(why, EFAULT, "address 0: nothing is there");
    if (place < 0)
        return refuse(why, ENOSPC, "%d software breakpoints are set: no more are allowed",
                      SOFTWARE_MAX);
    problem = arch_breakpoint_write(address, &software[place].old);
    if (problem)
        return refuse(why, EPERM, "no software breakpoint at 0x%lx: %s", (unsigned long)address,
                      problem);
    software[place].address = address;
    return 0;
}

static void software_clear(uint64_t address)
{
    int place = address ? software_find(address) : -1;

    if (place < 0)
        return;
    arch_breakpoint_restore(address, software[place].old);
    software[place].address = 0;
}

/* Drops a breakpoint that cannot be reinserted, for example because its stack was unmapped. */
void gdb_points_lift(bool lifted)
{
    if (!lifted) /* hits during a command stopped no CPU */
        forget_hits();
    for (int i = 0; i < SOFTWARE_MAX; i++) {
        if (!software[i].address)
            continue;
        if (lifted)
            arch_breakpoint_restore(software[i].address, software[i].old);
        else if (arch_breakpoint_write(software[i].address, &software[i].old))
            software[i].address = 0;
    }
}

void gdb_points_hide(uint64_t address, uint8_t *bytes, size_t length)
{
    for (int i = 0; i < SOFTWARE_MAX; i++)
        if (software[i].address && software[i].address - address < length)
            bytes[software[i].address - address] = software[i].old;
}

void gdb_points_keep(uint64_t address, size_t length)
{
    for (int i = 0; i < SOFTWARE_MAX; i++)
        if (software[i].address && software[i].address - address < length &&
            arch_breakpoint_write(software[i].address, &software[i].old))
            software[i].address = 0;
}

bool gdb_points_own(unsigned cpu, uint64_t address)
{
    if (!address || software_find(address) < 0)
        return false;
    note_hit(cpu, GDB_POINT_SOFTWARE, address, address);
    return true;
}

/* --- Breakpoints of the arbiter. --- */

static bool is_executed(enum gdb_point kind)
{
    return kind == GDB_POINT_SOFTWARE || kind == GDB_POINT_HARDWARE;
}

static void hardware_hit(struct breakpoint *breakpoint, uintptr_t address, struct regs *regs)
{
    const struct hardware *point =
        (struct hardware *)((char *)breakpoint - offsetof(struct hardware, breakpoint));

    (void)regs;
    note_hit(arch_cpu_id(), point->kind, breakpoint->address, address);
}

static struct hardware *hardware_find(enum gdb_point kind, uint64_t address, uint64_t length)
{
    for (unsigned i = 0; i < HARDWARE_MAX; i++) {
        const struct breakpoint *breakpoint = &hardware[i].breakpoint;

        if (hardware[i].used && hardware[i].kind == kind && breakpoint->address == address &&
            (is_executed(kind) || breakpoint->length == length))
            return &hardware[i];
    }
    return NULL;
}

/* gdb sets its breakpoints again whenever the machine resumes; one note is enough. */
static void note_unseen(struct hardware *point, struct refusal *why)
{
    uint64_t address = point->breakpoint.address;

    if (arch_execution_seen(address) == ARCH_SEEN_OUTSIDE && point->noted != address)
        refuse(why, 0,
               "the breakpoint at 0x%lx does not stop hits, NMIs or the debugger itself, which run "
               "this code, too",
               (unsigned long)address);
    point->noted = address;
}

/* x86 cannot watch only reads, so writes hit too; gdb ignores those that changed the value. */
static int hardware_set(enum gdb_point kind, uint64_t address, uint64_t length, struct refusal *why)
{
    static const char *const names[] = {[GDB_POINT_SOFTWARE] = "break",
                                        [GDB_POINT_HARDWARE] = "hbreak",
                                        [GDB_POINT_WRITE] = "watch",
                                        [GDB_POINT_READ] = "rwatch",
                                        [GDB_POINT_ACCESS] = "awatch"};
    struct hardware *point = NULL;
    bool executes = is_executed(kind);
    int error;

    assert(kind < GDB_POINT_KINDS);
    if (hardware_find(kind, address, length))
        return 0;
    for (unsigned i = 0; i < HARDWARE_MAX && !point; i++)
        point = hardware[i].used ? NULL : &hardware[i];
    if (!point)
        return refuse(why, ENOSPC, "gdb has set %d hardware points: no more are allowed",
                      HARDWARE_MAX);
    point->kind = kind;
    point->breakpoint = (struct breakpoint){.address = address,
                                            .length = executes ? 1 : length,
                                            .access = executes                  ? ARCH_EXECUTE
                                                      : kind == GDB_POINT_WRITE ? ARCH_WRITE
                                                                                : ARCH_READ_WRITE,
                                            .hit = hardware_hit,
                                            .hit_in_doubt = true}; /* gdb compares values */
    print_into(point->breakpoint.owner, sizeof(point->breakpoint.owner), "gdb %s 0x%lx/%zu",
               names[kind], (unsigned long)address, point->breakpoint.length);
    error = breakpoint_install(&point->breakpoint, why);
    point->used = !error;
    if (point->used && executes)
        note_unseen(point, why);
    return error;
}

static void hardware_drop(struct hardware *point)
{
    if (!point || !point->used)
        return;
    breakpoint_remove(&point->breakpoint);
    point->used = false;
}

/* --- Both kinds. --- */

/* Where breakpoint instructions do not reach the debugger, registers replace them. */
static bool is_instruction(enum gdb_point kind)
{
    return kind == GDB_POINT_SOFTWARE && arch_breakpoint_is_instruction();
}

void gdb_points_freeze(void)
{
    frozen = true;
}

static bool is_set(enum gdb_point kind, uint64_t address)
{
    if (is_instruction(kind))
        return software_find(address) >= 0;
    for (unsigned i = 0; i < HARDWARE_MAX; i++)
        if (hardware[i].used && hardware[i].kind == kind &&
            hardware[i].breakpoint.address == address)
            return true;
    return false;
}

int gdb_point_change(bool set, enum gdb_point kind, uint64_t address, uint64_t length,
                     struct refusal *why)
{
    int error = set ? gdb_point_refuse(kind, address, why) : 0;

    if (!error && frozen && set && !is_set(kind, address))
        error = refuse(why, EPERM, AFTER_A_PANIC ": `kill` ends the machine");
    else if (!error && !frozen)
        error = cpus_park(why);
    if (error || frozen) /* parking fails if a CPU does not answer */
        return error;
    if (set)
        error = is_instruction(kind) ? software_set(address, why)
                                     : hardware_set(kind, address, length, why);
    else if (is_instruction(kind))
        software_clear(address);
    else
        hardware_drop(hardware_find(kind, address, length));
    cpus_release();
    return error;
}

/* If a CPU does not answer, the registers stay armed until the next gdb connects. */
void gdb_points_clear(void)
{
    struct refusal why;

    forget_hits();
    if (frozen)
        return;
    for (unsigned i = 0; i < SOFTWARE_MAX; i++)
        software_clear(software[i].address);
    if (cpus_park(&why))
        return;
    for (unsigned i = 0; i < HARDWARE_MAX; i++)
        hardware_drop(&hardware[i]);
    cpus_release();
}

bool gdb_points_hit(unsigned cpu)
{
    assert(cpu < arch_cpus());
    if (hits[cpu].is && !is_set(hits[cpu].kind, hits[cpu].point))
        hits[cpu].is = false;
    return hits[cpu].is;
}

bool gdb_points_take(unsigned cpu, struct gdb_stop *stop)
{
    if (!gdb_points_hit(cpu))
        return false;
    hits[cpu].is = false;
    stop->reason = (enum gdb_stop_reason)(GDB_STOPPED_BY_SOFTWARE + hits[cpu].kind);
    stop->address = hits[cpu].address;
    return true;
}
