/* SPDX-License-Identifier: BSD-2-Clause */
/* Refuses impossible requests and installs the others (core/breakpoint/table.c). Task context. */
#include "core/breakpoint/breakpoint.h"

#include "arch/local.h"
#include "arch/memory.h"
#include "core/breakpoint/table.h"
#include "core/host.h"
#include "core/lib/assert.h"
#include "core/lib/cpus.h"

static uint64_t lapses[ARCH_CPUS_MAX]; /* [owning CPU; another while it is parked] */

static int refuse_shape(const struct breakpoint *breakpoint, struct refusal *why)
{
    uintptr_t address = breakpoint->address;
    size_t length = breakpoint->length;

    if (length == 0 || length > BREAKPOINT_LENGTH_MAX)
        return refuse(why, EINVAL, "length %zu: 1 to %d bytes are allowed", length,
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
    const struct breakpoint_target *target = &breakpoint->target;
    static const char *reason; /* the kernel's words outlive the call */
    int error;

    reason = "it cannot be watched";
    if (!arch_of_programs(breakpoint->address))
        return refuse(why, EINVAL,
                      "0x%lx is not an address of a program: those are from 0x%lx to 0x%lx",
                      (unsigned long)breakpoint->address, (unsigned long)ARCH_USER_START,
                      (unsigned long)ARCH_USER_END - 1);
    if (!host.process || !host.process_read || !host.process_watchable)
        return refuse(why, EINVAL,
                      "0x%lx: this kernel cannot watch programs (process, process_read or "
                      "process_watchable of struct pitot_kernel is 0)",
                      (unsigned long)breakpoint->address);
    error = host.process_watchable(target->program, target->pid, breakpoint->address,
                                   breakpoint->length, breakpoint->access == ARCH_EXECUTE, &reason);
    return error ? refuse(why, -error, "%s", reason) : 0;
}

static int refuse_place(const struct breakpoint *breakpoint, struct refusal *why)
{
    if (!breakpoint_target_is_kernel(&breakpoint->target))
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

int breakpoint_install(struct breakpoint *breakpoint, struct refusal *why)
{
    int error = refuse_shape(breakpoint, why);

    if (!error)
        error = refuse_place(breakpoint, why);
    if (error)
        return error;
    assert(breakpoint->hit); /* the debug trap calls it without a check */
    error = cpus_park(why);
    if (error)
        return error;
    error = breakpoint_table_install(breakpoint, why);
    cpus_release();
    return error;
}

void breakpoint_remove(struct breakpoint *breakpoint)
{
    cpus_park_surely();
    breakpoint_table_remove(breakpoint);
    cpus_release();
}

void breakpoint_audit(unsigned cpu)
{
    if (!arch_watch_audit(cpu))
        local_increment(&lapses[cpu]);
}

void breakpoint_audit_all(void)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++)
        if (arch_cpu_runs(cpu))
            breakpoint_audit(cpu);
}

unsigned long pitot_lapses(unsigned cpu)
{
    return local_load(&lapses[cpu]);
}

unsigned breakpoint_used(void)
{
    return breakpoint_slots.count;
}

void breakpoint_print(struct sink *sink)
{
    print_together_begin();
    for (unsigned i = 0; i < breakpoint_slots.count; i++) {
        const struct slot *slot = &breakpoint_slots.slot[i];

        print_to(sink, "  dr%u  0x%lx/%u:%s for %s", i, (unsigned long)slot->watch.address,
                 slot->watch.length, breakpoint_access_letters[slot->watch.access],
                 slot->owners[0]->owner);
        if (slot->owner_count > 1)
            print_to(sink, " and %u more", slot->owner_count - 1);
        print_to(sink, "\n");
    }
    for (unsigned i = breakpoint_slots.count; i < ARCH_WATCHES; i++)
        print_to(sink, "  dr%u  free\n", i);
    print_together_end();
}
