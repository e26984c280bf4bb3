/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arms and disarms the debug registers, which are the same on every CPU, and takes debug traps
 * apart. Arming runs in task context with all other CPUs parked, debugreg_load on each CPU that
 * goes on or starts, debug_trap on the #DB page with watches off
 * (arch/x86_64/entry/trap_entry.asm).
 */
#include "arch/x86_64/debug/debugreg.h"

#include "arch/arch.h"
#include "arch/x86_64/cpu/check.h"
#include "arch/x86_64/cpu/cpu.h"
#include "arch/x86_64/cpu/percpu.h"
#include "arch/x86_64/debug/accessor.h"
#include "arch/x86_64/entry/stacks.h"
#include "arch/x86_64/entry/trap.h"
#include "arch/x86_64/entry/vectors.h"
#include "arch/x86_64/memory/sections.h"

static uint64_t debug_spurious;                 /* debug traps of any CPU, by atomic add */
static arch_watch_handler *watch_handler;       /* set at boot */
static arch_step_handler *step_handler;         /* set by who steps, with interrupts off, */
static arch_step_handler *resume_handler;       /* ... as this is */
static struct arch_user_steppers user_steppers; /* set at boot */
static bool looks[ARCH_CPUS_MAX];               /* arch_user_look. [owning CPU, in debug traps] */
/* What is armed: changed while disarmed, and all other CPUs parked. */
static struct arch_watch armed_watches[ARCH_WATCHES];
static uint64_t armed_dr7 = DR7_OFF;
static unsigned armed;                 /* bit i: register i */
static unsigned executes;              /* ... and it is an instruction breakpoint */
static struct insn_map insn_map;       /* set at boot */
static uint64_t wanted[ARCH_CPUS_MAX]; /* DR7, with what is not live. [owning CPU] */
static uint64_t changes;               /* of what is armed */
static bool step_excludes;             /* as arch_step_excludes_watches; set at boot */
static struct debugreg_stop stop;      /* all NULL: no debugger; changed with all CPUs parked, */
static arch_watch_handler *unstopped;  /* ... as this is: who served hits before there was one */
/* Bit i: register i is not live there. [owning CPU; others while it is parked] */
static unsigned deselected[ARCH_CPUS_MAX];

void arch_watch_set_handler(arch_watch_handler *handler)
{
    step_excludes = arch_step_excludes_watches();
    watch_handler = handler;
}

uint64_t arch_watch_spurious(void)
{
    return debug_spurious;
}

void arch_step_set_handlers(arch_step_handler *stepped, arch_step_handler *resumed)
{
    step_handler = stepped;
    resume_handler = resumed;
}

void debug_resume(struct regs *regs)
{
    if (resume_handler)
        resume_handler(regs);
}

void arch_user_step_set_handlers(const struct arch_user_steppers *with)
{
    user_steppers = *with;
}

void arch_user_look(void)
{
    looks[arch_cpu_id()] = true;
}

void debug_leave(struct regs *regs)
{
    if (user_steppers.leave)
        user_steppers.leave(regs);
}

static uint64_t watch_without_data(uint64_t dr7)
{
    for (unsigned i = 0; i < ARCH_WATCHES; i++)
        if (dr7 & DR7_RW(i, 3)) /* 0 is ARCH_EXECUTE */
            dr7 &= ~DR7_GLOBAL(i);
    return dr7;
}

static uint64_t watch_without(uint64_t dr7, unsigned watches)
{
    for (unsigned i = 0; i < ARCH_WATCHES; i++)
        if (watches & (1u << i))
            dr7 &= ~DR7_GLOBAL(i);
    return dr7;
}

/*
 * The shadow first: an NMI that comes between the two stores loads the shadow at its exit. This may
 * be stepped itself, and the steps may end in here.
 */
static void watch_apply(uint64_t dr7)
{
    struct percpu *self = percpu_self();
    uint64_t full = watch_without(dr7, deselected[self->cpu]);
    bool steps;

    local_store(&self->live, armed & ~deselected[self->cpu]);
    local_store(&self->dr7_full, full);
    local_store(&self->dr7_step, step_excludes ? watch_without_data(full) : full);
    do {
        steps = *(volatile bool *)&self->steps;
        dr7 = steps ? self->dr7_step : full;
        local_store(&self->dr7, dr7);
        if (self->watch_depth == 0)
            cpu_write_dr7(dr7);
    } while (steps != *(volatile bool *)&self->steps);
}

void debugreg_step(unsigned cpu)
{
    percpu[cpu].steps = true;
    local_store(&percpu[cpu].dr7, percpu[cpu].dr7_step);
}

void debugreg_step_over(unsigned cpu)
{
    percpu[cpu].steps = false;
    local_store(&percpu[cpu].dr7, percpu[cpu].dr7_full);
}

static void watch_load_dr7(uint64_t dr7)
{
    local_store(&wanted[arch_cpu_id()], dr7);
    watch_apply(dr7);
}

void arch_watch_disarm(void)
{
    watch_load_dr7(DR7_OFF);
}

/* Of this CPU, which may be parked in between, and be given other watches. */
static void watch_apply_again(unsigned cpu)
{
    uint64_t dr7;

    do {
        dr7 = local_load(&wanted[cpu]);
        watch_apply(dr7);
    } while (local_load(&wanted[cpu]) != dr7);
}

void arch_watch_select(unsigned cpu, unsigned watches)
{
    unsigned before = deselected[cpu];

    deselected[cpu] = ~watches;
    if (cpu == arch_cpu_id() && before != deselected[cpu])
        watch_apply_again(cpu);
}

static void watch_load_addresses(const struct arch_watch *watches)
{
    cpu_write_dr0(watches[0].address);
    cpu_write_dr1(watches[1].address);
    cpu_write_dr2(watches[2].address);
    cpu_write_dr3(watches[3].address);
}

void debugreg_load(void)
{
    watch_load_addresses(armed_watches);
    local_barrier(); /* what debug_trap reads is complete before the first hit */
    watch_load_dr7(armed_dr7);
}

void arch_watch_arm(const struct arch_watch *watches, unsigned count)
{
    arch_check(count <= ARCH_WATCHES);
    local_increment(&changes);
    armed = (1u << count) - 1;
    executes = 0;
    for (unsigned i = 0; i < count; i++) {
        armed_watches[i] = watches[i];
        if (watches[i].access == ARCH_EXECUTE)
            executes |= 1u << i;
    }
    armed_dr7 = count ? debugreg_encode(watches, count) : DR7_OFF;
    debugreg_load();
}

const struct arch_watch *debugreg_armed(unsigned *watches)
{
    *watches = armed;
    return armed_watches;
}

uint64_t debugreg_changes(void)
{
    return local_load(&changes);
}

void debugreg_mend(void)
{
    watch_load_addresses(armed_watches);
    watch_apply_again(arch_cpu_id());
}

unsigned arch_watches(unsigned cpu)
{
    uint64_t dr7 = local_load(&percpu[cpu].dr7);
    unsigned count = 0;

    for (unsigned i = 0; i < ARCH_WATCHES; i++)
        count += (dr7 & DR7_GLOBAL(i)) != 0;
    return count;
}

static bool overlaps(uintptr_t address, size_t length, const void *start, const void *end)
{
    return address < (uintptr_t)end && address + length > (uintptr_t)start;
}

const char *arch_watch_forbidden(uintptr_t address, size_t length)
{
    if (overlaps(address, length, nowatch_text_start, nowatch_text_end))
        return "the trap entry code";
    if (overlaps(address, length, nowatch_data_start, nowatch_data_end))
        return "the descriptor tables and the CPU's own area, which trap entries use";
    if (overlaps(address, length, nowatch_stacks_start, nowatch_stacks_end) ||
        overlaps(address, length, (const void *)STACK_SLOT(STACK_SLOTS_OF_CPUS),
                 (const void *)STACK_SLOT(STACK_SLOTS)))
        return "the stacks that the CPU pushes trap frames on";
    return NULL;
}

const volatile uint64_t *arch_watch_word(const struct arch_watch *watch)
{
    static const uint64_t nothing;

    if (watch->access == ARCH_EXECUTE || watch->address < ARCH_USER_END ||
        !arch_readable(watch->address, watch->length))
        return &nothing;
    return (const volatile uint64_t *)(watch->address & ~(sizeof(uint64_t) - 1));
}

const char *arch_accessor_init(void)
{
    const struct insn_map_expected expected = {
        .build_id = arch_build_id(), .text = (uintptr_t)_text, .text_end = (uintptr_t)_etext};

    return insn_map_open(&insn_map, insn_map_start,
                         (uintptr_t)insn_map_end - (uintptr_t)insn_map_start, &expected);
}

/*
 * A program's memory only programs access, whose instructions are not in the map; and the kernel
 * may not read there, whatever cs the registers have: the trap may come behind the program's
 * `syscall` (debug_is_at_entry).
 */
struct arch_accessor arch_watch_accessor(const struct regs *regs, const struct arch_watch *watch)
{
    if (watch->address < ARCH_USER_END && watch->access != ARCH_EXECUTE)
        return (struct arch_accessor){0, ARCH_FOUND_NOT};
    return accessor_find(&insn_map, regs, watch);
}

unsigned arch_watch_made(const struct regs *regs, const struct arch_watch *watch,
                         struct arch_made made[ARCH_MADE_MAX])
{
    if (watch->address < ARCH_USER_END || watch->access == ARCH_EXECUTE)
        return 0;
    return accessor_made(&insn_map, regs, watch, made);
}

void debugreg_set_stop(const struct debugreg_stop *with)
{
    if (with && !stop.fired)
        unstopped = watch_handler;
    stop = with ? *with : (struct debugreg_stop){NULL, NULL, NULL, NULL};
    watch_handler = with ? with->fired : unstopped;
}

void debugreg_watch_as_ever(unsigned fired, struct regs *regs)
{
    if (unstopped)
        unstopped(fired, regs);
}

bool debugreg_is_fault(unsigned fired)
{
    return fired & executes;
}

void debugreg_read_data(uint64_t words[ARCH_WATCHES])
{
    for (unsigned i = 0; i < ARCH_WATCHES; i++)
        words[i] = armed & 1u << i ? *arch_watch_word(&armed_watches[i]) : 0;
}

/* Compares the watched bytes alone: the rest of the word may have changed, too. */
unsigned debugreg_changed_data(const uint64_t words[ARCH_WATCHES])
{
    unsigned changed = 0;

    for (unsigned i = 0; i < ARCH_WATCHES; i++) {
        const struct arch_watch *watch = &armed_watches[i];
        uint64_t difference;

        if (!(armed & 1u << i))
            continue;
        difference = words[i] ^ *arch_watch_word(watch);
        difference >>= 8 * (watch->address % sizeof(uint64_t));
        difference <<= 64 - 8 * watch->length;
        if (difference)
            changed |= 1u << i;
    }
    return changed;
}

static void debug_passed(struct regs *regs)
{
    if (stop.passed && !regs_user_mode(regs))
        stop.passed(regs);
}

/*
 * An instruction breakpoint is a fault, so its instruction would hit again on return: RF lets it
 * pass once (Intel SDM vol. 3, "Instruction-Breakpoint Exception Condition").
 */
static inline void debug_hit(unsigned fired, struct regs *regs)
{
    watch_handler(fired, regs);
    if (fired & executes) /* after the handler: what it records are the program's own flags */
        regs->flags |= FLAGS_RESUME;
}

/*
 * The kernel's steps, and a debugger's, which may end in a program; false: it is neither. Apart, so
 * that a hit has no part of it.
 */
__attribute__((noinline)) static bool debug_stepped(unsigned fired, struct regs *regs)
{
    bool stops = stop.stepped && stop.stepped(regs, &fired);
    bool steps;

    debugreg_step_over(arch_cpu_id());
    if (regs_user_mode(regs)) {
        steps = user_steppers.stepped && user_steppers.stepped(regs);
    } else {
        steps = step_handler;
        if (steps)
            step_handler(regs);
    }
    if (!stops && !steps)
        return false;
    if (fired && watch_handler)
        watch_handler(fired, regs);
    if (fired & executes)
        regs->flags |= FLAGS_RESUME;
    if (stops)
        stop.enter(regs);
    else
        debug_passed(regs);
    return true;
}

/*
 * A program cannot have made an access to the kernel's memory: it was stopped before. It can only
 * have tried to execute there, which some machines tell of first.
 */
static unsigned watch_reachable(unsigned fired)
{
    for (unsigned i = 0; i < ARCH_WATCHES; i++)
        if (armed_watches[i].address >= ARCH_USER_END)
            fired &= ~(1u << i);
    return fired;
}

/* Of a program: it has set TF, or executed `int1`, of which DR6 tells nothing. */
static bool debug_is_programs(const struct regs *regs, uint64_t dr6)
{
    return regs_user_mode(regs) && (dr6 & DR6_BS || !(dr6 & DR6_FIRED));
}

/*
 * Its TF or watched operand in the instruction behind `mov ss` is told of behind the one that
 * follows, and if that enters the kernel, at the entry's first instruction (Intel SDM vol. 3,
 * "Masking Exceptions and Interrupts When Switching Stacks").
 */
static bool debug_is_at_entry(const struct regs *regs)
{
    return regs->ip >= (uintptr_t)nowatch_text_start && regs->ip < (uintptr_t)nowatch_text_end;
}

/*
 * QEMU tells of a step over a watched access in two traps, the second in front of the first's first
 * instruction, on the same page: the first frame is gone, and with it where that was. Whose it was
 * is known by the GS that the second has found (watch_entry). A program can be ended, where the CPU
 * would otherwise return to this entry for ever; the kernel cannot go on.
 */
static void debug_find_program(struct regs *regs)
{
    const struct regs somewhere = {.cs = USER_CODE_SELECTOR,
                                   .ss = USER_DATA_SELECTOR,
                                   .flags = FLAGS_FIXED | FLAGS_INTERRUPT,
                                   .vector = VECTOR_DEBUG};

    if (regs->ip != (uintptr_t)trap_stubs + VECTOR_DEBUG * TRAP_STUB_SIZE)
        return;
    if (!regs->error)
        trap_fatal(regs);
    *regs = somewhere;
}

/* On to where a program's traps are served: not with the watches of a step that is not made. */
static struct regs *debug_land(struct regs *regs)
{
    debugreg_step_over(arch_cpu_id());
    return trap_land(regs);
}

/* Its hit is served; and somebody wants a look at the program that was hit. */
static struct regs *debug_served(struct regs *regs)
{
    bool *look = &looks[arch_cpu_id()];

    if (!*look)
        return NULL;
    *look = false;
    if (!regs_user_mode(regs))
        return NULL;
    regs->vector = REGS_SERVED;
    return debug_land(regs);
}

/* A program's, or one that comes upon an entry: see docs/user.md. */
__attribute__((noinline)) static struct regs *debug_trap_at_border(struct regs *regs, uint64_t dr6,
                                                                   unsigned fired)
{
    unsigned told = fired;

    debug_find_program(regs);
    if (regs_user_mode(regs))
        told = watch_reachable(fired);
    if (dr6 & DR6_BS && debug_stepped(told, regs))
        return debug_served(regs);
    if (told)
        watch_handler(told, regs);
    if (fired & executes) /* told or not */
        regs->flags |= FLAGS_RESUME;
    if (debug_is_programs(regs, dr6))
        return debug_land(regs);
    if (!told)
        __atomic_fetch_add(&debug_spurious, 1, __ATOMIC_RELAXED);
    return debug_served(regs);
}

/* A step, or nothing that is armed. Apart, so that a hit has no part of it. */
__attribute__((noinline)) static void debug_trap_other(struct regs *regs, uint64_t dr6,
                                                       unsigned fired)
{
    if (dr6 & DR6_BS && debug_stepped(fired, regs))
        return;
    if (fired)
        debug_hit(fired, regs);
    if (fired)
        return;
    if (!(dr6 & DR6_FIRED) || dr6 & (DR6_BS | DR6_BD))
        trap_fatal(regs);
    __atomic_fetch_add(&debug_spurious, 1, __ATOMIC_RELAXED);
    debug_passed(regs);
}

void debug_trap_inside(struct regs *regs)
{
    uint64_t dr6 = cpu_read_dr6();
    unsigned fired = (unsigned)dr6 & percpu_live();

    cpu_write_dr6(DR6_CLEAR);
    if (__builtin_expect(fired == 0 || dr6 & DR6_BS, false))
        debug_trap_other(regs, dr6, fired);
    else
        debug_hit(fired, regs);
}

struct regs *debug_trap(struct regs *regs)
{
    uint64_t dr6;

    if (!regs_user_mode(regs) && !debug_is_at_entry(regs)) {
        debug_trap_inside(regs);
        return NULL;
    }
    dr6 = cpu_read_dr6();
    cpu_write_dr6(DR6_CLEAR);
    return debug_trap_at_border(regs, dr6, (unsigned)dr6 & percpu_live());
}
