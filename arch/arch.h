/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The contract: what core may ask of a CPU. One implementation is arch/x86_64/, another is the fake
 * that the unit tests link (tests/unit/fake_arch.c). A kernel that wants core for itself
 * implements this page; what is declared here may be inline instead (arch/x86_64/cpu/inline.h).
 *
 * Contexts nest strictly on one CPU: task < interrupt < debug trap < NMI. "Any context" includes
 * the last.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/cpu/inline.h"
#include "arch/x86_64/cpu/local.h"
#include "arch/x86_64/cpu/regs.h"
#include "arch/x86_64/cpu/site.h"

#define ARCH_NAME     "x86_64" /* as `uname -m` says it */
#define ARCH_CPUS_MAX 64

#define PAGE_SIZE ((size_t)4096)

/*
 * Marks a function that the hit path, an NMI or a debugger's stop calls. The linker puts it into
 * .text.hit (linker.ld), where a debugger refuses to put a breakpoint instruction. Files whose
 * functions are all called from there are listed in linker.ld instead.
 */
#define ARCH_HIT_TEXT __attribute__((section(".text.hit")))

/* --- This CPU. Any context; the answer holds while preemption is off. --- */
unsigned arch_cpu_id(void);

/* Nanoseconds since boot, one clock for all CPUs, never backwards on one CPU. Any context. */
uint64_t arch_clock_ns(void);

/* Interrupts off, returning what arch_irq_restore takes. NMI and debug traps still come. */
uint64_t arch_irq_save(void);
void arch_irq_restore(uint64_t flags);
bool arch_irq_on(void);
void arch_irq_enable(void);

/* A pause inside a spinning loop. */
void arch_relax(void);

/* Halts until the next interrupt; interrupts are on when it returns. Task context. */
void arch_idle(void);

/*
 * Debug traps and NMIs that are being served on this CPU: 0, 1 or 2. With interrupts off that tells
 * contexts apart: a task and an interrupt then cannot come between each other. Any context.
 */
unsigned arch_trap_depth(void);

/*
 * True while the handler of an interrupt is running on this CPU, in debug traps and NMIs that came
 * upon it as well. Any context.
 */
bool arch_interrupted(void);

/* --- All CPUs. --- */

struct arch_stack;

/* How many there may be, this one included: they are numbered from 0, the boot CPU. Any context. */
unsigned arch_cpus(void);

/* What it calls itself; never empty. Task and crash context. */
const char *arch_cpu_name(void);

/* Which one it is, by its maker's numbers. Task and crash context. */
struct arch_cpu_kind {
    char maker[13];
    unsigned family, model, stepping;
};

struct arch_cpu_kind arch_cpu_kind(void);

/* False for one that has not been started, or did not start. Any context. */
bool arch_cpu_runs(unsigned cpu);

/*
 * Starts one, and waits until it is about to call `begin`, interrupts off, as the outermost
 * function on this stack; `begin` does not return. False: it did not start. Boot.
 */
bool arch_cpu_start(unsigned cpu, const struct arch_stack *stack, void (*begin)(void));

/*
 * How far its clock is from the boot CPU's at least, as found in `window` nanoseconds when it
 * started; 0 where they may agree.
 */
int64_t arch_cpu_clock_off(unsigned cpu, uint64_t *window);

/* Takes it out of arch_idle, and has its interrupts' exit look for a switch. Any context. */
void arch_cpu_poke(unsigned cpu);

/*
 * Stops all other CPUs by an NMI until arch_cpus_release, also where their interrupts are off. A
 * CPU stops outside of debug traps, and where `may`, which it calls in the NMI, says that it is in
 * the middle of nothing that the caller may change. The caller's interrupts are off until the
 * release. Calls may be nested. False if a CPU, *absent, does not answer within two seconds: then
 * all run on. Task context; the caller may take no lock in between, as a stopped CPU may hold it.
 */
bool arch_cpus_park(unsigned *absent);
void arch_cpus_release(void);
void arch_set_may_park(bool (*may)(void));

/* What a CPU that stands still was interrupted at; NULL if it runs. Any context. */
const struct regs *arch_parked_regs(unsigned cpu);

/*
 * All other CPUs stand still at once, wherever they are, as far as they answer within a third of a
 * second, until arch_cpus_go: for a report that changes nothing. One CPU at a time. Any context.
 */
void arch_cpus_stand(void);
void arch_cpus_go(void);

/* As arch_parked_regs, but of a CPU that stands still for either reason. */
const struct regs *arch_stopped_regs(unsigned cpu);

/*
 * All other CPUs stop for good, as far as they answer, and no clock comes as an NMI any more. Crash
 * context.
 */
void arch_cpus_halt(void);

/*
 * --- Memory. Any context: all walk page tables by plain loads. The kernel's alone: what a program
 * has mapped is not mapped to these, as the kernel may not touch it. ---
 */
bool arch_mapped(uintptr_t address, size_t length);
/* Mapped, and memory: a read of a device's register may make the device do something. */
bool arch_readable(uintptr_t address, size_t length);
bool arch_executable(uintptr_t address);
/* Of memory that the page allocator has: which of the machine's pages it is. */
uint64_t arch_page_number(const void *page);
bool arch_canonical(uintptr_t address);

/*
 * The kernel's code, [start, end); trap entries lie at its end, from plain_end on.
 */
uintptr_t arch_text_start(void);
uintptr_t arch_text_plain_end(void);
uintptr_t arch_text_end(void);

/* The 20 bytes that name this build, as in the image's ELF note. */
#define ARCH_BUILD_ID_SIZE 20
const uint8_t *arch_build_id(void);

/* --- Stacks: the memory that an unwinder may read. --- */
struct arch_stack {
    const char *name;   /* the CPU's stack for this; NULL: a thread's, */
    const char *thread; /* whose name this is then */
    /* [guard, low) is unmapped: a stack pointer in there tells of an overflow */
    uintptr_t guard;
    uintptr_t low, high; /* [low, high) may be read */
};

/*
 * The stack that `address` lies in, its guard and its top included; NULL where in none. Any
 * context.
 */
const struct arch_stack *arch_stack_find(uintptr_t address);

/* --- Threads: how one gives the CPU to another. Policy (who, when) is kernel/sched/. --- */

/* Stacks for so many threads, beside the one that the kernel boots on. */
#define ARCH_THREAD_STACKS 255

/*
 * The stack of that number, for a thread whose name will stand at `name` as long as it has the
 * stack; NULL: there is no memory for it. Task context; the caller knows that nobody else has it.
 */
const struct arch_stack *arch_thread_stack(unsigned number, const char *name);

/* Pages that stacks have taken and keep for whoever has them next. Any context. */
size_t arch_stack_pages(void);

/*
 * Lays a first frame on the stack and returns the stack pointer that arch_switch takes: the first
 * switch to it calls `entry`, interrupts off, as the outermost function of a call chain. `entry`
 * does not return.
 */
uintptr_t arch_thread_prepare(const struct arch_stack *stack, void (*entry)(void));

/*
 * Puts what a function call preserves, and the flags, on the stack, stores the stack pointer in
 * *from, and goes on where the switch that stored `to` was called. Interrupts off, task stack.
 */
void arch_switch(uintptr_t *from, uintptr_t to);

/* Registers for a call chain of a context that arch_switch left: a snapshot. Any context. */
void arch_switched_regs(uintptr_t sp, struct regs *regs);

/*
 * False inside an interrupt's handler, a debug trap or an NMI: their stacks and the order of their
 * returns belong to the CPU, not to a thread.
 */
bool arch_may_switch(void);

/*
 * Called when an interrupt's handler has returned, interrupts off, on the interrupted thread's
 * stack; may switch. Not called where that stack had no room.
 */
void arch_set_interrupt_exit(void (*leave)(void));

/* --- User mode. Policy (programs, system calls) is kernel/user/'s; docs/user.md. --- */

/*
 * What a program may have mapped: [ARCH_USER_START, ARCH_USER_END). All that code in virtual-8086
 * mode could reach stays a hole (trap_entry.asm), page 0 with it, and so does the last page of the
 * lower half, so that the address behind a `syscall` is canonical wherever that stands.
 */
#define ARCH_USER_START ((uintptr_t)0x110000)
#define ARCH_USER_END   ((uintptr_t)0x7ffffffff000)

/* An address space: a lower half of its own, and the kernel's upper half. */
struct arch_space;

/* Whether a page can be written or executed by the program; never both. */
enum arch_page { ARCH_PAGE_READ = 0, ARCH_PAGE_WRITE = 1, ARCH_PAGE_EXECUTE = 2 };

/* Empty; NULL: there is no memory. Task context. */
struct arch_space *arch_space_create(void);

/* Gives back all its pages. Nobody runs in it or reads it any more. Task context. */
void arch_space_destroy(struct arch_space *space);

/*
 * A page of memory, all zero, at `address`, a multiple of PAGE_SIZE in the program's range where
 * nothing is mapped; and taken away again, which its own program alone may have done. False: there
 * is no memory, or nothing to take. Task context.
 */
bool arch_space_map(struct arch_space *space, uintptr_t address, enum arch_page access);
bool arch_space_unmap(struct arch_space *space, uintptr_t address);

/*
 * This CPU goes on in that space, NULL: in none but the kernel's, and traps from user mode arrive
 * on that stack. Interrupts off; by the scheduler at each switch, and by who ends a program.
 */
void arch_space_enter(const struct arch_space *space, const struct arch_stack *stack);

/*
 * Memory of a program, by a walk over its page tables in software: nothing is touched that is not
 * there for the program, so this cannot fault, and needs no leave of SMAP. False, and what lies in
 * front of the bad page done: a byte of [address, address + length) is not mapped for it, or to be
 * written and not writable. Any context while the space exists; the program's own thread changes
 * it.
 */
bool arch_user_read(const struct arch_space *space, uintptr_t address, void *to, size_t length);
bool arch_user_write(struct arch_space *space, uintptr_t address, const void *from, size_t length);

/*
 * Where the kernel has that memory: the byte at `address`, and as much of *length behind it as lies
 * in its page. NULL as above; the loader asks with ARCH_PAGE_READ and may write.
 */
void *arch_user_reach(const struct arch_space *space, uintptr_t address, enum arch_page access,
                      size_t *length);

/*
 * Leaves the kernel for the first time, in the space entered last: the program runs from `ip` with
 * this stack pointer, all other registers 0. On the thread's own stack, which is empty from now on.
 * Task context.
 */
_Noreturn void arch_user_begin(uintptr_t ip, uintptr_t sp);

/*
 * What a program that called the kernel, or was interrupted, had in its registers: the frame at the
 * top of its thread's stack. NULL where none is there: at the border itself, before the entry has
 * saved them. Any context; of another CPU's thread only while that one stands still or sleeps.
 */
const struct regs *arch_user_regs(const struct arch_stack *stack);

/*
 * What core does for programs. All run on the program's thread's stack.
 *   call    it has executed `syscall`: the number is regs->error, arguments are in di, si, dx, r10,
 *           r8, r9; the result goes to ax. Interrupts on.
 *   fault   an exception that is the program's own doing; does not return. Interrupts on.
 *   leave   the kernel is about to return to it: interrupts off, may switch, or not return.
 */
struct arch_user_handlers {
    void (*call)(struct regs *regs);
    void (*fault)(struct regs *regs);
    void (*leave)(struct regs *regs);
};
void arch_user_set_handlers(const struct arch_user_handlers *with);

/* What this machine's CPUs lack for programs, as a phrase; NULL: nothing. Any context. */
const char *arch_user_missing(void);

/* --- Debug registers. Policy (who, sharing, refusals) is core/breakpoint/breakpoint.c's. --- */
#define ARCH_WATCHES 4

enum arch_access { ARCH_EXECUTE, ARCH_WRITE, ARCH_READ_WRITE };

struct arch_watch {
    uintptr_t address;
    uint8_t length; /* 1, 2, 4, 8; address is a multiple of it. ARCH_EXECUTE: 1 */
    enum arch_access access;
};

/*
 * Disarm, change what the hit handler looks at, arm: called in this order with all other CPUs
 * parked, which are armed alike when they go on. Watch i goes into register i, and a hit is
 * reported as bit i. Between the two calls no watch can hit, not from an NMI either. Alone, the
 * first disarms this CPU.
 */
void arch_watch_disarm(void);
void arch_watch_arm(const struct arch_watch *watches, unsigned count);

/*
 * Which of the armed are live on that CPU, bit i for watch i: they are all at first. Of this CPU
 * with interrupts off, or of another that is parked; takes effect when it goes on.
 */
void arch_watch_select(unsigned cpu, unsigned watches);

/* How many are armed on that CPU, or will be as soon as it leaves its debug traps. Any context. */
unsigned arch_watches(unsigned cpu);

/*
 * What must not be watched: NULL, or what `address`..`address + length` overlaps, in words for a
 * refusal.
 */
const char *arch_watch_forbidden(uintptr_t address, size_t length);

/*
 * Called for each debug trap that an armed watch explains: bit i of `fired` is watch i. Runs on the
 * debug trap's own stack with interrupts off and watches disarmed; may not fault, lock, allocate or
 * trap.
 */
typedef void arch_watch_handler(unsigned fired, struct regs *regs);
void arch_watch_set_handler(arch_watch_handler *handler);

/*
 * The aligned word of eight bytes that holds the watched bytes, as its hits may read it; a word
 * that is always 0 where there is nothing to read: for ARCH_EXECUTE, where the bytes are not
 * arch_readable (any more), and in a program's, which is not the kernel's to follow. Any context.
 */
const volatile uint64_t *arch_watch_word(const struct arch_watch *watch);

enum arch_found {
    ARCH_FOUND_NOT,    /* more than one instruction can have done it, or none that is known */
    ARCH_FOUND_AT,     /* ARCH_EXECUTE: it is the one at ip */
    ARCH_FOUND_BEFORE, /* it ends at ip */
    ARCH_FOUND_STRING, /* it is repeated: it stands at ip or ends there */
    ARCH_FOUND_CALL,   /* it called ip */
};

struct arch_accessor {
    uintptr_t ip; /* its first byte; 0 for ARCH_FOUND_NOT */
    enum arch_found found;
};

/*
 * The instruction whose access to these watched bytes raised the debug trap that `regs` is the
 * frame of. Never a wrong one. In a watch handler, before the watched bytes are written again.
 */
struct arch_accessor arch_watch_accessor(const struct regs *regs, const struct arch_watch *watch);

/* One access that an instruction made. */
struct arch_made {
    uintptr_t address; /* [address, address + size), if placed; else it is not known where */
    uint8_t size;
    bool placed;
    bool reads, writes; /* one or both */
};

#define ARCH_MADE_MAX 2

/*
 * All data accesses of the instruction that arch_watch_accessor names, one of which hit. 0: it
 * names none, or this one is not known. Context: as arch_watch_accessor.
 */
unsigned arch_watch_made(const struct regs *regs, const struct arch_watch *watch,
                         struct arch_made made[ARCH_MADE_MAX]);

/*
 * True if the machine reports each watch that an access matches; false: the lowest one alone, and
 * not what a later access of the same instruction matches. Not in traps.
 */
bool arch_watch_reports_all(void);

/* What arch_watch_accessor needs. NULL; or why it will never find any. Boot. */
const char *arch_accessor_init(void);

/* Debug traps that only disarmed registers explain: ignored, but counted. */
uint64_t arch_watch_spurious(void);

/* --- Single steps. Policy (who is stepped, what for) is core/source/branches.c's. --- */

/*
 * Called after each instruction of a context that is stepped: regs->ip is the next one. Runs as a
 * watch handler does, and before it where both have a reason. Being stepped is a flag among the
 * context's others: it is off in interrupts and exceptions that come upon it and on again when they
 * return, and it goes with flags that are saved and loaded. So after an instruction that takes it
 * away, a switch to another thread say, the handler is called once more; and a context may be
 * stepped because it saved its flags in a time that is over. `resumed` is called when an interrupt
 * or exception is about to return to a context that was stepped, others may have run meanwhile:
 * interrupts off, watches as they are. NULL: a step is an unexpected exception.
 */
typedef void arch_step_handler(struct regs *regs);
void arch_step_set_handlers(arch_step_handler *stepped, arch_step_handler *resumed);

/*
 * The context whose trap frame that is, is stepped from its next instruction on; or is not any
 * more. In these two, or a watch handler. On a machine where steps and data watches exclude each
 * other, those of this CPU rest for that one instruction: not in what comes upon it, nor after it.
 */
void arch_step_more(struct regs *regs);
void arch_step_no_more(struct regs *regs);

/*
 * False: the context is a program's, or its next instruction leads to a program, or its stack
 * pointer is still one's. Programs are not stepped. In these two, or a watch handler.
 */
bool arch_step_possible(const struct regs *regs);

/* The caller is stepped from here on. Task context. */
void arch_step_begin(void);

/*
 * The instruction that led a stepped context from `from` to `to` by a branch: a jump, taken, a
 * loop, a call, a return, from an interrupt too. It is the one at `from`, or, where the machine
 * holds a step back after one that keeps interrupts off for one more, the one after it. 0: none
 * did. In a step handler.
 */
uintptr_t arch_step_branch(uintptr_t from, uintptr_t to);

/*
 * True on a machine that loses its way where a stepped instruction makes a watched access: data
 * watches and steps exclude each other there. Any context.
 */
bool arch_step_excludes_watches(void);

/* --- Single steps of programs. Policy is kernel/user/process_steps.c's. --- */

/* Of a program's thread: its own, with interrupts off or in its debug traps. All 0 at first. */
struct arch_user_step {
    uintptr_t ip; /* the instruction that the next step is behind */
    bool on;      /* it is stepped */
    bool traps;   /* ... and has set the trap flag itself, too */
};

/*
 *   leave    the kernel is about to return to a program: interrupts off, after what
 *            arch_user_handlers has for it, on the program's thread's stack.
 *   stepped  after an instruction of a program that had the trap flag: as a step handler. False:
 *            the flag was the program's own, it is to be told.
 */
struct arch_user_steppers {
    void (*leave)(struct regs *regs);
    bool (*stepped)(struct regs *regs);
};
void arch_user_step_set_handlers(const struct arch_user_steppers *with);

/*
 * The current program is stepped from where these registers go on: in `leave`. In both: it is not
 * any more. Neither the flag in what it pushes nor the one in its r11 after a call is to be seen
 * by the program, and one that it loads is remembered as its own.
 */
void arch_user_step_begin(struct arch_user_step *step, struct regs *regs);
void arch_user_step_end(struct arch_user_step *step, struct regs *regs);

/*
 * In `stepped`: the step is over. *from is as arch_step_branch's; false: the program's own flag
 * would have trapped here as well. The second makes the next one.
 */
bool arch_user_step_over(struct arch_user_step *step, struct regs *regs, uintptr_t *from);
void arch_user_step_more(struct regs *regs);

/*
 * The program that was hit goes by arch_user_handlers' `leave` before its next instruction. In a
 * watch handler.
 */
void arch_user_look(void);

/*
 * The account of watches: true if that CPU's debug registers have what is armed and live there. If
 * not, hits have been missed, and they have it from here on. This CPU, interrupts off, outside of
 * debug traps; or a parked one, of which only what it is about to load is looked at.
 */
bool arch_watch_audit(unsigned cpu);

/* --- Stops: for a debugger. Who it is, and what it does, is core/gdb's. --- */

enum arch_stop {
    ARCH_STOP_HIT,     /* `wants` or `owns` has said so */
    ARCH_STOP_STEPPED, /* after the one instruction that was asked for */
    ARCH_STOP_BREAK,   /* arch_stop_cpu */
    ARCH_STOP_HERE,    /* arch_stop_here, or a breakpoint instruction that is the code's own */
    ARCH_STOP_DEAD,    /* arch_stop_dead: there is no going on */
};

#define ARCH_NO_CPU (~0u)

enum arch_heard { ARCH_HEARD_NOTHING, ARCH_HEARD_NOISE, ARCH_HEARD_STOP };

struct arch_resume {
    bool all;      /* all CPUs go on; or `only` does, and the others stand still meanwhile */
    unsigned only; /* also the one that is stepped; ARCH_NO_CPU: none */
    bool step;     /* `only` makes one instruction, with no interrupt in it */
};

struct arch_debugger {
    /* Behind hits on this CPU: is there a reason to stop, still? */
    bool (*wants)(unsigned cpu);
    /* This CPU has run the breakpoint instruction at that address: is it the debugger's? */
    bool (*owns)(unsigned cpu, uintptr_t address);
    /* False: this CPU is about something that a stop would cut in two. It is asked again. */
    bool (*may_stop)(unsigned cpu);
    /* All CPUs stand still, but `absent`, if that is none of ARCH_NO_CPU. */
    void (*stopped)(unsigned cpu, enum arch_stop why, unsigned absent, struct arch_resume *resume);
    /*
     * In each NMI of the boot CPU, and all the while that it is parked for another one that runs
     * alone: what its line has said, and whether that is to stop.
     */
    enum arch_heard (*listens)(void);
};

/*
 * From now on stops come here; NULL: no more. While none is attached, nothing pays for it. Called
 * with all other CPUs parked.
 */
void arch_debugger_attach(const struct arch_debugger *with);

/* That CPU stops, as soon as it is not in the middle of a hit. Any context. */
void arch_stop_cpu(unsigned cpu);

/* ... which it has yet to do: it was asked in the middle of one. */
bool arch_stop_is_due(unsigned cpu);

/*
 * This CPU has parked the others for a change of its own (arch_cpus_park), and none of them can go
 * on before the end of that. Any context.
 */
bool arch_park_is_changing(void);

/*
 * What that interrupt came upon stops, when it has the CPU again; where that is a program, the
 * caller stops instead. In the interrupt's handler, for a debugger that has just been attached.
 */
void arch_stop_interrupted(struct regs *regs);

/* The caller stops. Task context, with a debugger. */
void arch_stop_here(void);

/*
 * All others have been halted for good, and a report has been made: the debugger may look. Crash
 * context.
 */
void arch_stop_dead(struct regs *regs);

/* A breakpoint instruction. */
#define ARCH_BREAKPOINT_SIZE 1

/*
 * What memory there is for a debugger, [address, address + length): read up to the first byte that
 * may not be, whose number is returned. Registers of devices may not be read. Written all or
 * not at all, false: not writable; text is never. A breakpoint instruction is written to text as
 * well, but to none that hits, NMIs or the debugger run; why not is returned, or NULL. In a stop.
 */
size_t arch_debug_read(uintptr_t address, uint8_t *to, size_t length);
bool arch_debug_write(uintptr_t address, const uint8_t *from, size_t length);
const char *arch_breakpoint_write(uintptr_t address, uint8_t *old);
void arch_breakpoint_restore(uintptr_t address, uint8_t old);

/*
 * A debugger's registers: how gdb is told of them, how many bytes each has, what is in it on a CPU
 * that stands still. False: it is not known; or it is not for a debugger to write. In a stop.
 */
extern const char arch_debug_description[];
unsigned arch_debug_registers(void);
size_t arch_debug_register_size(unsigned number);
bool arch_debug_register_read(unsigned cpu, unsigned number, uint8_t *bytes);
bool arch_debug_register_write(unsigned cpu, unsigned number, const uint8_t *bytes);

/* Frame pointer, stack pointer and instruction pointer, by number. */
#define ARCH_DEBUG_EXPEDITED 3
extern const unsigned arch_debug_expedited[ARCH_DEBUG_EXPEDITED];

/* What a CPU that a debugger has stopped stands at; may be changed. NULL: it does not stand. */
struct regs *arch_stop_regs(unsigned cpu);

/*
 * That CPU, stopped in a thread, interrupts on, calls `function` where it goes on, on that thread's
 * stack; `function` ends by arch_stop_here. *kept is what it goes back to. False: the stack has no
 * room, or it is not in a thread or not with interrupts on. In a stop.
 */
bool arch_stop_divert(unsigned cpu, void (*function)(void), struct regs *kept);

/* --- Sites, and the gates that they lead to (arch/x86_64/cpu/site.h). --- */

/*
 * Turns a site on or off; nothing to do if it is so already. 0; -EINVAL where neither its nop nor
 * its jump stands in the text, -ETIMEDOUT where the other CPUs could not be parked: nothing is
 * changed then. Task context.
 */
int arch_site_set(const struct arch_site *site, bool on);

/* --- Unwinding: what only the CPU's manual knows about a frame. Any context. --- */

/* The next three are asked by frame pointers alone (UNWINDER=fp). */
enum arch_frame {
    /* the frame pointer is this function's: [fp] caller's fp, [fp + 8] return address */
    ARCH_FRAME_SET,
    /* the caller's fp has been pushed but fp is still the caller's: return address at [sp + 8] */
    ARCH_FRAME_SAVED,
    ARCH_FRAME_NONE, /* fp is the caller's, the return address is at [sp] */
};

/*
 * Where the frame of the function that begins at `function` stands just before the instruction at
 * `ip` runs.
 */
enum arch_frame arch_frame_at(uintptr_t function, uintptr_t ip);

/*
 * True if `return_address` lies behind the call that a trap entry makes: the caller's "frame" is
 * then a struct regs at the address right above the return address.
 */
bool arch_is_trap_return(uintptr_t return_address);

/*
 * A general register of a trap frame by its DWARF number (System V ABI, "DWARF Register Number
 * Mapping"), 0 to 15.
 */
uint64_t arch_register(const struct regs *regs, unsigned number);

/* --- Faults. --- */

/* What brought a trap frame about: "page fault", "debug trap", "interrupt". Any context. */
const char *arch_trap_name(const struct regs *regs);

/*
 * Called for each exception that nobody expected, with interrupts off and watches disarmed, on the
 * interrupted stack or, if that has no room, on the exception's own. What the registers do not tell
 * is in the report below. Must not return. Setting one returns who it was before, NULL for nobody.
 */
typedef void arch_fault_handler(struct regs *regs);
arch_fault_handler *arch_set_fault_handler(arch_fault_handler *handler);

struct arch_fault {
    const char *name;  /* "page fault" */
    char detail[160];  /* the error code in words, "" where there is none */
    uintptr_t address; /* what the access was to; only where has_address */
    bool has_address;
};

/* Says what `regs` (a trap frame) is the frame of. Crash context. */
void arch_fault_describe(const struct regs *regs, struct arch_fault *fault);

/*
 * Prints through `line`, one line a call, without line ends: general and control registers. Crash
 * context.
 */
void arch_regs_describe(const struct regs *regs, void (*line)(const char *text));

/* Stops this CPU for good. */
_Noreturn void arch_halt(void);
