/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pitot in a kernel that is not its own: all that such a kernel calls, and all that it gives, in
 * C's own types, for C and C++. Linked with build/lib/pitot.o (`make lib`), whose other names are
 * local to it; docs/porting.md goes through it, level by level.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* --- What the kernel gives. --- */

/* Any context, debug traps included: no lock, no memory, no fault. */
unsigned pitot_host_cpu(void);             /* this CPU, from 0; below CPUS of `make lib` */
unsigned long long pitot_host_clock(void); /* ns, of one clock for all CPUs; never backwards */

/* Bytes of the stream, to wherever perf will find them. Task context, in pitot_stop. */
void pitot_host_write(const void *bytes, unsigned long length);

/* A broken invariant of Pitot's, in words. Does not return. Any context. */
void pitot_host_panic(const char *what) __attribute__((noreturn));

/*
 * For call chains: the stack, [*low, *high), that `address` lies in; 0: in none that may be read.
 * Any context. A kernel that leaves it out has no call chains.
 */
int pitot_host_stack(unsigned long address, unsigned long *low, unsigned long *high)
    __attribute__((weak));

/*
 * For breakpoints: 1 if [address, address + length) is memory that can be read without a fault, and
 * stays so. Any context. A kernel that leaves it out has no breakpoints.
 */
int pitot_host_mapped(unsigned long address, unsigned long length) __attribute__((weak));

/*
 * For more than one CPU: all others stand still, interrupts off, between these two; 0: they do not,
 * and run on. Each that has stood still calls pitot_cpu_resumes before it continues, and the second
 * returns after all have. Interrupts are off here meanwhile. Task context.
 */
int pitot_host_park(void) __attribute__((weak));
void pitot_host_release(void) __attribute__((weak));

/*
 * For the console's commands (`make lib LEVEL=4`), which want what levels 1 and 2 do and tables:
 * what commands print. Task context.
 */
void pitot_host_print(const char *text, unsigned long length);

/*
 * For gdb (`make lib GDB=1`), which wants pitot_host_mapped, too: a serial line that nothing else
 * uses. The first is polled: the byte that has arrived, or -1. Any context.
 */
int pitot_host_gdb_get(void) __attribute__((weak));
void pitot_host_gdb_put(unsigned char byte) __attribute__((weak));

/* --- What the kernel calls. --- */

/*
 * A trap entry of the kernel's own, for chains by frame pointers: where it continues after its call
 * into C, and how many bytes above the stack pointer it then has the interrupted rbp, and the frame
 * of the CPU: rip, cs, rflags, rsp, ss.
 */
struct pitot_trap {
    const void *returns;
    unsigned bp, frame;
};

/* All of it stays as it is for ever. */
struct pitot_kernel {
    const void *text, *text_end;   /* its code, [text, text_end) */
    const unsigned char *build_id; /* 20 bytes; 0: perf believes any ELF file */
    const char *name;              /* of thread 0; 0: "kernel" */
    unsigned cpus;                 /* that run, from pitot_init on; 0: CPUS of `make lib` */
    /* Where chains by frame pointers cross trap entries; at others they end, in the gate. */
    const struct pitot_trap *traps;
    unsigned trap_count;
    const void *gate, *gate_end; /* the code of the kernel's trap entries */
    /* Debug traps that are not Pitot's continue there, as if the CPU had entered; 0: none come. */
    void (*debug_next)(void);
    /*
     * A kernel with a #DB gate of its own has that among [gate, gate_end), with all that it calls
     * before and after pitot_debug_trap; and gate_stack is what the CPU pushes its frame on, for
     * all CPUs. What lies there cannot be watched, as a hit would come upon itself.
     */
    const void *gate_stack, *gate_stack_end;
};

/* 0, or why not. Once, before all others. */
const char *pitot_init(const struct pitot_kernel *kernel);

/*
 * Events are recorded from here on: `options` are as `perf record` has them,
 *
 *     -e EVENT    SYSTEM:NAME, mem:ADDR[/LEN][:w|:rw|:x] or cpu-clock; more than once
 *     -c N        each N-th hit is a sample, without it each; of cpu-clock N is in ns, and 1000000
 *     -g          with call chains
 *
 * 0, or why not, and nothing is recorded then. Task context.
 */
const char *pitot_start(const char *options);

/* Ends it, and writes the recording. How many records were kept. Task context. */
unsigned long long pitot_stop(void);

/*
 * In the recording that has ended: hits that may have been an event's, or not, where events watch
 * the same bytes and the instruction is not known. They are neither counted nor recorded; with
 * tables there are few. Task context.
 */
unsigned long long pitot_doubtful(void);

/* That thread runs on this CPU from here on; 0 is a thread. Where threads are switched. */
void pitot_thread_runs(unsigned pid);

/* ... and is called that, of 15 characters: 0, or why perf will not know. Task context. */
const char *pitot_thread_named(unsigned pid, const char *name);

/*
 * This CPU loads the breakpoints that were changed while it stood still. Interrupts off; outside of
 * debug traps.
 */
void pitot_cpu_resumes(void);

/*
 * For breakpoints: gate 1 of the IDT, an interrupt gate. It has an IST stack, of which that CPU's
 * TSS says pitot_debug_stack(cpu).
 */
void pitot_debug_entry(void);
void *pitot_debug_stack(unsigned cpu); /* its top; 0: CPUS of `make lib` is less */

/* --- What the kernel's trap entries call, with the registers of what they interrupted. --- */

struct pitot_regs {
    unsigned long long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
    unsigned long long vector, error; /* not looked at */
    unsigned long long ip, cs, flags, sp, ss;
};

/*
 * For cpu-clock: the timer's interrupt has come upon a context with these registers. Whatever runs
 * with interrupts off it does not see. Interrupts off.
 */
void pitot_tick(const struct pitot_regs *interrupted);

/*
 * From a #DB gate of the kernel's own, in place of pitot_debug_entry. 1: it was a breakpoint of
 * Pitot's, and the gate returns by `iretq` with regs->flags, and with gdb with all of `regs`; 0: it
 * is the kernel's own affair. On gate_stack, interrupts off.
 */
int pitot_debug_trap(struct pitot_regs *regs);

/* --- gdb, in a kernel of one CPU (GDB=1). --- */

/* gdb may come from here on: 0, or why not. After pitot_init; does not wait. Task context. */
const char *pitot_gdb_start(void);

/* Stops here until a gdb has come and lets the kernel continue: 0, or why not. Task context. */
const char *pitot_gdb_wait(void);

/*
 * In the timer's interrupt, with the registers of what it interrupted: a gdb that comes, or its ^C,
 * stops the kernel there. 1: gdb has been there, and the interrupt returns with all of `regs` as
 * they are then. Interrupts off.
 */
int pitot_gdb_poll(struct pitot_regs *regs);

/* In a trap that ends the kernel: gdb, if there is one, looks at it first. Any context. */
void pitot_gdb_stop(struct pitot_regs *regs);

/* --- Tracepoints. --- */

/*
 * One .c file defines it, with up to five fields, each with its kind, its name and the part of the
 * line that prints it:
 *
 *     PITOT_TRACEPOINT(vm, page_free, 2, PITOT_FIELD(pointer, page, "page=%p"),
 *                                        PITOT_FIELD(u32, order, " order=%u"));
 *
 * and the code says PITOT_TRACE(page_free, page, 4); another file says
 * PITOT_TRACEPOINT_DECLARE(page_free, 2) before. Kinds: pointer %p, u32 %u %x, s32 %d, u64 %lu %lx,
 * s64 %ld, text %s (15 characters, the rest is cut; 0 is an empty one). Arguments are computed only
 * while an event listens.
 */
struct pitot_field {
    const char *name, *print;
    unsigned kind;
    unsigned short offset, size; /* pitot_init's */
};

/* Laid out as core/tracepoint/tracepoint.h has it; pitot_init fills in what is 0. */
struct pitot_tracepoint {
    void (*enter)(void);
    void (*gate)(void);
    const char *full_name, *name;
    struct pitot_field *field;
    unsigned field_count, raw_size;
    unsigned short id, none;
    void (*make)(void);
    void (*find_late)(void);
    unsigned late;
    unsigned char weighted;
    unsigned weight;
    void *volatile probes; /* 0: no event listens */
};

typedef void pitot_raise(struct pitot_tracepoint *, unsigned long long, unsigned long long,
                         unsigned long long, unsigned long long, unsigned long long);

#define PITOT_KIND_pointer 0
#define PITOT_KIND_u32     3
#define PITOT_KIND_s32     4
#define PITOT_KIND_u64     5
#define PITOT_KIND_s64     6
#define PITOT_KIND_text    7

#define PITOT_SIZE_pointer 8
#define PITOT_SIZE_u32     4
#define PITOT_SIZE_s32     4
#define PITOT_SIZE_u64     8
#define PITOT_SIZE_s64     8
#define PITOT_SIZE_text    16

/* clang-format off */
#define PITOT_FIELD(kind, name, print) { #name, print, PITOT_KIND_##kind, 0, PITOT_SIZE_##kind }
/* clang-format on */

#define PITOT_TRACEPOINT_DECLARE(name, fields)                                                     \
    extern struct pitot_tracepoint pitot_tracepoint_##name;                                        \
    typedef char pitot_fields_of_##name[(fields) + 1]

#define PITOT_TRACEPOINT(system, name, fields, ...)                                                \
    PITOT_TRACEPOINT_DECLARE(name, fields);                                                        \
    static struct pitot_field pitot_field_##name[] = {__VA_ARGS__};                                \
    typedef char pitot_fields_are_##name                                                           \
        [sizeof(pitot_field_##name) == (fields) * sizeof(struct pitot_field) ? 1 : -1];            \
    struct pitot_tracepoint pitot_tracepoint_##name = {                                            \
        0, 0, #system ":" #name, #name, pitot_field_##name, (fields), 0, 0, 0, 0, 0, 0, 0, 0, 0};  \
    __attribute__((section("pitot_tracepoints"),                                                   \
                   used)) static struct pitot_tracepoint *const pitot_entry_##name =               \
        &pitot_tracepoint_##name

/* The call's return address is the sample's place. */
#define PITOT_RAISE(name, count, a, b, c, d, e)                                                    \
    do {                                                                                           \
        (void)sizeof(char[sizeof(pitot_fields_of_##name) == (count) + 1 ? 1 : -1]);                \
        if (__builtin_expect(pitot_tracepoint_##name.probes != 0, 0))                              \
            ((pitot_raise *)pitot_tracepoint_##name.gate)(                                         \
                &pitot_tracepoint_##name, (unsigned long long)(a), (unsigned long long)(b),        \
                (unsigned long long)(c), (unsigned long long)(d), (unsigned long long)(e));        \
    } while (0)

#define PITOT_RAISE_1(name, a)             PITOT_RAISE(name, 1, a, 0, 0, 0, 0)
#define PITOT_RAISE_2(name, a, b)          PITOT_RAISE(name, 2, a, b, 0, 0, 0)
#define PITOT_RAISE_3(name, a, b, c)       PITOT_RAISE(name, 3, a, b, c, 0, 0)
#define PITOT_RAISE_4(name, a, b, c, d)    PITOT_RAISE(name, 4, a, b, c, d, 0)
#define PITOT_RAISE_5(name, a, b, c, d, e) PITOT_RAISE(name, 5, a, b, c, d, e)

#define PITOT_SIXTH(a, b, c, d, e, which, ...) which
#define PITOT_TRACE(name, ...)                                                                     \
    PITOT_SIXTH(__VA_ARGS__, PITOT_RAISE_5, PITOT_RAISE_4, PITOT_RAISE_3, PITOT_RAISE_2,           \
                PITOT_RAISE_1, 0)                                                                  \
    (name, __VA_ARGS__)

/* --- The console's commands (LEVEL=4). --- */

/*
 * A line as it may be typed: "perf record -e mem:jobs_done:w -g -- work", "perf report", "help". 0,
 * or a negative errno after pitot_host_print has said why. Task context, one caller at a time.
 */
int pitot_command(const char *line);

/*
 * A command of the kernel's own, which `perf record -- NAME` runs and records, "help" lists:
 *
 *     PITOT_COMMAND(work, "[JOBS]", "makes jobs and finishes them", work_run);
 *
 * `run` gets the line's words, of which the first is the name.
 */
struct pitot_command {
    const char *name, *usage, *summary;
    int (*run)(int argc, char **argv); /* 0, or a negative errno after saying why */
    int (*help)(const char *part);     /* 0 */
};

#define PITOT_COMMAND(name, usage, summary, run)                                                   \
    static const struct pitot_command pitot_command_##name = {#name, usage, summary, run, 0};      \
    __attribute__((section("pitot_commands"),                                                      \
                   used)) static const struct pitot_command *const pitot_command_entry_##name =    \
        &pitot_command_##name

/* One that is there already, pitot:mark. */
PITOT_TRACEPOINT_DECLARE(mark, 2);
#define PITOT_MARK(text, value) PITOT_TRACE(mark, text, value)

#ifdef __cplusplus
}
#endif
