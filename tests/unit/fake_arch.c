/* SPDX-License-Identifier: BSD-2-Clause */
/* See fake_arch.h. Linked by the tests of the arbiter, the unwinder, events and samples. */
#include "tests/unit/fake_arch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sanitizer/asan_interface.h>

#include "arch/cpu.h"
#include "arch/memory.h"
#include "arch/site.h"
#include "arch/snapshot.h"
#include "arch/x86_64/debug/report.h"
#include "core/host.h"
#include "core/lib/assert.h"
#include "core/task.h"

/* Guards after a stack as well as before it. */
#define GUARD_WORDS (FAKE_GUARD / sizeof(uint64_t))

struct fake_arch fake_arch;

/* The boot thread runs on the CPU that the test has set (core/host.h). */
__attribute__((constructor)) static void boot_thread_runs(void)
{
    for (unsigned cpu = 0; cpu < ARCH_CPUS_MAX; cpu++)
        task_ids[cpu] = task_ids_of(TASK_PID);
}

static void note_call(char call)
{
    size_t length = strlen(fake_arch.calls);

    if (length + 1 < sizeof(fake_arch.calls))
        fake_arch.calls[length] = call;
}

static bool range_overlaps(const struct fake_range *range, uintptr_t address, size_t length)
{
    return address < range->end && address + length > range->start;
}

static size_t stack_size(const struct arch_stack *stack)
{
    return stack->high - stack->low;
}

int fake_arch_reset(void **state)
{
    arch_watch_handler *handler = fake_arch.handler;

    (void)state;
    for (unsigned i = 0; i < fake_arch.stack_count; i++) {
        const struct arch_stack *stack = &fake_arch.stacks[i];

        __asan_unpoison_memory_region((void *)stack->guard, stack_size(stack) + 2 * FAKE_GUARD);
        free((void *)stack->guard);
    }
    fake_arch = (struct fake_arch){.handler = handler};
    return 0;
}

const struct arch_stack *fake_stack_add(const char *name, size_t words)
{
    struct arch_stack *stack = &fake_arch.stacks[fake_arch.stack_count];
    uint64_t *memory = calloc(words + 2 * GUARD_WORDS, sizeof(*memory));

    assert_non_null(memory);
    assert_true(fake_arch.stack_count < FAKE_STACKS_MAX);
    fake_arch.stack_count++;
    *stack = (struct arch_stack){.name = name,
                                 .guard = (uintptr_t)memory,
                                 .low = (uintptr_t)(memory + GUARD_WORDS),
                                 .high = (uintptr_t)(memory + GUARD_WORDS + words)};
    __asan_poison_memory_region(memory, FAKE_GUARD);
    __asan_poison_memory_region(memory + GUARD_WORDS + words, FAKE_GUARD);
    return stack;
}

uint64_t *fake_stack_words(const struct arch_stack *stack)
{
    return (uint64_t *)stack->low;
}

static bool watch_matches(const struct arch_watch *watch, uintptr_t address, size_t length,
                          enum arch_access access)
{
    bool kind = watch->access == ARCH_READ_WRITE ? access != ARCH_EXECUTE : watch->access == access;

    return kind && address < watch->address + watch->length && watch->address < address + length;
}

static unsigned access_matches(uintptr_t address, size_t length, enum arch_access access)
{
    unsigned matching = 0;

    for (unsigned i = 0; fake_arch.armed && i < fake_arch.watch_count; i++)
        if (watch_matches(&fake_arch.watches[i], address, length, access))
            matching |= 1u << i;
    return matching;
}

unsigned fake_arch_access(uintptr_t address, size_t length, enum arch_access access,
                          enum fake_report report, struct regs *regs)
{
    bool modifies = access == ARCH_READ_WRITE && fake_arch.modifies;
    unsigned first = access_matches(address, length, access);
    unsigned matching = first | (modifies ? access_matches(address, length, ARCH_WRITE) : 0);
    unsigned lowest = first ? first & -first : matching & -matching;

    fake_arch.made = (struct arch_made){.address = address,
                                        .size = length,
                                        .may_address = address,
                                        .may_size = length,
                                        .element = (uint8_t)length,
                                        .placed = true,
                                        .reads = access == ARCH_READ_WRITE,
                                        .writes = access == ARCH_WRITE || modifies};
    if (matching) {
        fake_arch.armed = false; /* the entry disarms, and its exit arms again */
        fake_arch.handler(report == FAKE_REPORT_ALL ? matching : lowest, regs);
        fake_arch.armed = true;
    }
    return matching;
}

/* --- The contract. --- */

unsigned arch_cpu_id(void)
{
    return fake_arch.cpu;
}

uint64_t arch_clock_ns(void)
{
    uint64_t now = fake_arch.clock;

    fake_arch.clock += fake_arch.clock_step;
    return now;
}

uint64_t arch_irq_save(void)
{
    uint64_t flags = fake_arch.irqs_off ? FLAGS_FIXED : FLAGS_FIXED | FLAGS_INTERRUPT;

    fake_arch.irqs_off = true;
    note_call('-');
    return flags;
}

void arch_irq_restore(uint64_t flags)
{
    fake_arch.irqs_off = !(flags & FLAGS_INTERRUPT);
    note_call('+');
}

unsigned arch_cpus(void)
{
    return fake_arch.cpus ? fake_arch.cpus : 1;
}

bool arch_cpu_runs(unsigned cpu)
{
    return cpu < arch_cpus();
}

struct regs *arch_stopped_regs(unsigned cpu)
{
    (void)cpu;
    return NULL;
}

bool arch_cpus_park(unsigned *absent)
{
    void (*on_park)(void) = fake_arch.on_park;

    *absent = 1;
    if (fake_arch.park_absent)
        return false;
    if (on_park && fake_arch.parked == 0) {
        fake_arch.on_park = NULL;
        on_park();
    }
    if (fake_arch.parked++ == 0) {
        fake_arch.parks++;
        fake_arch.park_flags = arch_irq_save();
    }
    return true;
}

void arch_cpus_release(void)
{
    assert_true(fake_arch.parked > 0);
    if (--fake_arch.parked == 0)
        arch_irq_restore(fake_arch.park_flags);
}

bool arch_irq_on(void)
{
    return !fake_arch.irqs_off;
}

void arch_irq_enable(void)
{
    fake_arch.irqs_off = false;
    note_call('+');
}

void arch_relax(void)
{
}

void arch_idle(void)
{
}

uint64_t arch_flags(void)
{
    return FLAGS_FIXED | (fake_arch.irqs_off ? 0 : FLAGS_INTERRUPT);
}

bool arch_mapped(uintptr_t address, size_t length)
{
    return !range_overlaps(&fake_arch.unmapped, address, length);
}

bool arch_readable(uintptr_t address, size_t length)
{
    return arch_mapped(address, length) && !range_overlaps(&fake_arch.devices, address, length);
}

bool arch_executable(uintptr_t address)
{
    return range_overlaps(&fake_arch.executable, address, 1);
}

/* Bits 63 to 47 are equal: 48-bit linear addresses. */
bool arch_canonical(uintptr_t address)
{
    return (uintptr_t)((intptr_t)(address << 16) >> 16) == address;
}

uintptr_t arch_text_start(void)
{
    return fake_arch.text_start;
}

uintptr_t arch_text_plain_end(void)
{
    return fake_arch.text_plain_end;
}

uintptr_t arch_text_end(void)
{
    return fake_arch.text_end;
}

const uint8_t *arch_build_id(void)
{
    static const uint8_t id[ARCH_BUILD_ID_SIZE] = "a build id of 20 by";

    return id;
}

const struct arch_stack *arch_stack_find(uintptr_t address)
{
    if (fake_arch.on_stack_find)
        fake_arch.on_stack_find();
    for (unsigned i = 0; i < fake_arch.stack_count; i++)
        if (address > fake_arch.stacks[i].guard && address <= fake_arch.stacks[i].high)
            return &fake_arch.stacks[i];
    return NULL;
}

void arch_watch_disarm(void)
{
    assert_true(fake_arch.irqs_off);
    fake_arch.armed = false;
    note_call('d');
}

void arch_watch_arm(const struct arch_watch *watches, unsigned count)
{
    assert_true(fake_arch.irqs_off);
    assert_false(fake_arch.armed);
    assert_true(count <= ARCH_WATCHES);
    for (unsigned i = 0; i < count; i++)
        fake_arch.watches[i] = watches[i];
    fake_arch.watch_count = count;
    fake_arch.armed = true;
    note_call('a');
}

void arch_watch_select(unsigned cpu, unsigned watches)
{
    fake_arch.deselected[cpu] = ~watches;
}

const char *arch_watch_forbidden(uintptr_t address, size_t length)
{
    return range_overlaps(&fake_arch.forbidden, address, length) ? fake_arch.forbidden.what : NULL;
}

void arch_watch_set_handler(arch_watch_handler *handler)
{
    fake_arch.handler = handler;
}

const volatile uint64_t *arch_watch_word(const struct arch_watch *watch)
{
    static const uint64_t nothing;

    (void)watch;
    return fake_arch.watched ? fake_arch.watched : &nothing;
}

struct arch_accessor arch_watch_accessor(const struct regs *regs, const struct arch_watch *watch)
{
    (void)regs;
    (void)watch;
    return fake_arch.accessor;
}

unsigned arch_watch_candidates(const struct regs *regs, const struct arch_watch *watch,
                               struct arch_candidate candidates[ARCH_CANDIDATES_MAX])
{
    (void)regs;
    (void)watch;
    candidates[0] = (struct arch_candidate){.made = {fake_arch.made}, .count = 1};
    return fake_arch.knows_access;
}

unsigned arch_program_candidates(const struct regs *regs, const struct arch_watch *watch,
                                 arch_program_reader *read,
                                 struct arch_candidate candidates[ARCH_CANDIDATES_MAX])
{
    (void)regs;
    (void)watch;
    (void)read;
    (void)candidates;
    return 0;
}

void arch_watch_probe(void)
{
}

bool arch_watch_groups(void)
{
    return fake_arch.groups;
}

bool arch_watch_repeats_at(const struct regs *regs)
{
    (void)regs;
    return fake_arch.groups;
}

bool arch_watch_reports_beside(void)
{
    return fake_arch.beside;
}

bool arch_watch_miscounts_locked(void)
{
    return false;
}

bool arch_watch_reports_all(void)
{
    return !fake_arch.lowest_only;
}

bool arch_watch_audit(unsigned cpu)
{
    (void)cpu;
    return true;
}

void arch_step_set_handlers(arch_step_handler *stepped, arch_step_handler *resumed)
{
    fake_arch.stepped = stepped;
    fake_arch.resumed = resumed;
}

void arch_step_more(struct regs *regs)
{
    regs->flags |= FLAGS_TRAP;
}

void arch_step_no_more(struct regs *regs)
{
    regs->flags &= ~FLAGS_TRAP;
}

bool arch_step_possible(const struct regs *regs)
{
    return regs->ip != fake_arch.step_leaves;
}

void arch_step_begin(void)
{
    fake_arch.steps_begun++;
}

uintptr_t arch_step_branch(uintptr_t from, uintptr_t to)
{
    (void)to;
    return fake_arch.branches >> (from - fake_arch.text_start) & 1 ? from : 0;
}

bool arch_step_excludes_watches(void)
{
    return fake_arch.step_excludes;
}

bool arch_is_trap_return(uintptr_t return_address)
{
    return fake_arch.trap_return && return_address == fake_arch.trap_return;
}

bool arch_interrupted(void)
{
    return fake_arch.interrupted;
}

unsigned arch_trap_depth(void)
{
    return fake_arch.trap_depth;
}

int arch_site_set(const struct arch_site *site, bool on)
{
    (void)site;
    fake_arch.sites_set += on ? 1 : -1;
    return fake_arch.site_error;
}

/* Gates: nothing interrupts here. The place has interrupts on, and ip as its only register. */
void fake_gate(struct arch_gated *gated, uint64_t first, uint64_t second, uint64_t third,
               uint64_t fourth, uint64_t fifth) __asm__("arch_gate");

void fake_gate(struct arch_gated *gated, uint64_t first, uint64_t second, uint64_t third,
               uint64_t fourth, uint64_t fifth)
{
    struct arch_place place = {.argument = {first, second, third, fourth, fifth},
                               .flags = FLAGS_INTERRUPT,
                               .ip = (uintptr_t)__builtin_return_address(0)};

    gated->enter(gated, &place, NULL);
}

void arch_gate_registers(void)
{
    abort(); /* no test requests all registers */
}
