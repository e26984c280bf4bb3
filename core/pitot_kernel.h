/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel gives Pitot: struct pitot_kernel, and the types in it. Part of pitot.h, which
 * includes it. Each member states its context.
 */
#pragma once

#define PITOT_PATH_SIZE 256 /* of a program's path, including the NUL */

/* The symbols of a program, by pitot_symbols_open. Zero-initialised: none. */
struct pitot_symbols {
    unsigned long of[6];
};

/* A program's file. Its memory is never freed, because samples outlive processes. */
struct pitot_program {
    const char *path;                    /* shorter than PITOT_PATH_SIZE */
    const unsigned char *build_id;       /* 20 bytes; 0 if the file has none */
    const struct pitot_symbols *symbols; /* of the same life; 0: none */
    unsigned number;                     /* from 0, in order of discovery */
};

enum pitot_task { PITOT_TASK_NONE, PITOT_TASK_OF_KERNEL, PITOT_TASK_OF_PROGRAM };

/* Which threads `perf record -- COMMAND` follows. */
enum pitot_follow {
    PITOT_FOLLOW_END,       /* no thread any more: the command has ended */
    PITOT_FOLLOW_FROM_EXEC, /* the current thread, once it runs a program's first instruction */
    PITOT_FOLLOW,           /* the current thread, and threads it creates from now on */
};

#define PITOT_NAME_SIZE 16 /* bytes of a thread's name, including the NUL */

/* Events that Pitot's threads wait for. */
enum pitot_channel {
    PITOT_RECORDS,
    PITOT_STREAM_ENDS,
    PITOT_INTERVAL,
    PITOT_MONITOR,
    PITOT_CHANNELS
};

/* Words for TAB that only the kernel knows. */
enum pitot_words { PITOT_WORDS_THREADS, PITOT_WORDS_PROGRAMS };

enum pitot_interrupt { PITOT_INTERRUPT_ASK, PITOT_INTERRUPT_TAKE, PITOT_INTERRUPT_AWAIT };
enum pitot_power { PITOT_POWER_OFF, PITOT_POWER_RESET };

/* Steps of one thread in its program, 0 at first: written by Pitot. */
struct pitot_step {
    unsigned long ip;        /* the instruction to step next */
    unsigned char on, traps; /* the thread is stepped; the program has set the trap flag itself */
};

#define PITOT_MONITOR_SIZE 2048 /* bytes of a line of gdb's `monitor`, including the NUL */

/*
 * The kernel: what it is, and the functions it provides. A member that is 0 is one that the kernel
 * does not have; what needs it is refused by its name. "Any context" includes debug traps and NMIs:
 * such a function takes no lock, allocates nothing and cannot trap. Functions that fail store the
 * reason in *why. pitot_init copies the structure, but not what it points to.
 */
struct pitot_kernel {
    const void *text, *text_end;         /* the kernel's code, [text, text_end) */
    const void *programs, *programs_end; /* addresses of programs, below the code; 0: none */
    const unsigned char *build_id;       /* 20 bytes; 0: perf accepts any ELF file */
    const char *name; /* name of thread 0; 0: as pitot_thread_named has named it, or "kernel" */
    unsigned cpus;    /* CPUs that run at pitot_init; 0: CPUS of `make lib` */
    /*
     * What the trap entries push, from the stack pointer at their call into C upwards, in words of
     * 8 bytes with a blank between two: "r15 r14 r13 r12 bp ... - - ip cs flags sp ss". All of r8
     * to r15, ax, bx, cx, dx, si, di, bp, and the CPU's ip, cs, flags, sp, ss; "-" is any other
     * word.
     */
    const char *frame;
    /*
     * Return addresses of the calls of such entries, which chains by frame pointers can cross; in
     * other code of the gate they end. 0: those of cfi_call_trap (cfi_gas.inc).
     */
    const void *const *traps;
    unsigned trap_count;
    /* Code of the kernel's trap entries, with all that runs with a program's GS base. */
    const void *gate, *gate_end;
    /*
     * For breakpoints: the IST stack, 1 to 7, that Pitot takes for debug traps. It sets gate 1 of
     * the IDT and this entry of the TSS on each CPU; debug traps that are not Pitot's continue
     * where the gate has led. Traps of programs, and in [gate, gate_end), are served with the GS
     * base that the CPU had when breakpoints were set.
     */
    unsigned debug_ist;
    /*
     * I/O ports of 16550 UARTs, 0x2f8 for example, that nothing else uses: Pitot sets them to
     * 115200 baud, and writes the stream to write_port if `write` is 0; gdb comes by gdb_port if
     * gdb_get and gdb_put are 0.
     */
    unsigned short write_port, gdb_port;
    /*
     * A kernel with its own #DB gate has no debug_ist and calls pitot_debug_trap. [gate, gate_end)
     * then includes that gate and everything it calls before and after. [gate_stack,
     * gate_stack_end): the stacks on which all CPUs push the frame. Neither range can be watched,
     * because a hit would interrupt itself.
     */
    const void *gate_stack, *gate_stack_end;

    /* --- In every kernel. Any context. --- */

    unsigned (*cpu)(void); /* this CPU, from 0, below `cpus`; 0: there is one */
    /* ns; one monotonic clock for all CPUs. 0: the time stamp counter; times are in its cycles. */
    unsigned long (*clock)(void);
    /* Reports a broken invariant of Pitot; does not return. */
    void (*panic)(const char *what);
    /*
     * Writes bytes of the stream to where perf will read them. Task context, in pitot_stop. 0:
     * write_port.
     */
    void (*write)(const void *bytes, unsigned long length);

    /* --- For call chains, breakpoints, more than one CPU. --- */

    /*
     * Stores the bounds of the readable stack [*low, *high) that contains `address`, and returns 1;
     * or returns 0. Any context.
     */
    int (*stack)(unsigned long address, unsigned long *low, unsigned long *high);
    /* Returns 1 if the bytes can be read now and later without fault. Any context. */
    int (*mapped)(unsigned long address, unsigned long length);
    /*
     * Interrupts all other CPUs, by an interrupt that can be masked, in which each calls
     * pitot_stand. Interrupts off; with gdb in debug traps, too, so then any context.
     */
    void (*interrupt_others)(void);

    /* --- For console commands, which also need tables, `stack` and `mapped`. --- */

    void (*print)(const char *text, unsigned long length); /* task context */
    /*
     * Returns at least `bytes` bytes of zeroed, page-aligned memory; or 0, and how much is
     * available. Task context. 0, as memory_give then is: MEMORY bytes of `make lib`.
     */
    void *(*memory_take)(unsigned long bytes, const char **why);
    void (*memory_give)(void *memory, unsigned long bytes);
    /*
     * Returns page-aligned memory that has the same address in each boot, survives a reset and is
     * used by Pitot alone; or 0. The section .bss.pitot_kept must survive too: it lies outside of
     * what the loader writes. Any context; for perf report --last-boot.
     */
    void *(*memory_kept)(unsigned long *bytes);
    /*
     * Starts a thread that runs `run`, which never returns, and waits until the thread has slept
     * once. Returns 0 and its pid, or the reason. Task context; for perf stat -I, for a stream
     * while a recording runs, and for gdb's `monitor`.
     */
    const char *(*thread_start)(const char *name, void (*run)(void *unused), unsigned *pid);
    /*
     * Sleeps until `until`, called first and after each `wake` of the channel, returns 1. A wake
     * between that call and the sleep is not lost. Task context. For `monitor` also in a thread
     * that gdb has stopped, on any CPU: one that must not sleep, as an idle thread, yields or spins
     * instead.
     */
    void (*wait)(enum pitot_channel channel, int (*until)(void));
    void (*wake)(enum pitot_channel channel); /* task or interrupt context */
    /*
     * ASK: returns 1 if ^C was typed since the command line began; any context. TAKE: the same,
     * and consumes that ^C. AWAIT: sleeps until ^C is typed. TAKE and AWAIT: task context.
     */
    int (*interrupted)(enum pitot_interrupt how);
    /*
     * Reports by pitot_word the numbers of all threads but 0, or the paths of all program files.
     * Task context; for TAB. 0: there are no programs, and the threads are those that
     * pitot_thread_named has named.
     */
    void (*words_tell)(enum pitot_words which);

    /* --- For the names of threads; 0: those that pitot_thread_named gives. --- */

    /* Returns the name of the thread running on `cpu`; 0 if none runs there yet. Any context. */
    const char *(*task_name)(unsigned cpu);
    /* Names the current thread after its command; 0 restores its own name. Task context. */
    void (*task_rename)(const char *name);
    /* Returns what the thread is. Task context; with tasks_tell, for -p. */
    enum pitot_task (*task_find)(unsigned pid);
    /*
     * Reports each thread by pitot_thread_lived, and its program's mappings by
     * pitot_program_mapped; idle threads have the number 0 and perf's name for it, "swapper". Task
     * context.
     */
    void (*tasks_tell)(void);
    /*
     * From now on, the kernel reports at each switch, by pitot_follow, whether the next thread is
     * one of these. PITOT_FOLLOW_END comes with all other CPUs parked. 0: the threads of
     * all commands count.
     */
    void (*follow)(enum pitot_follow which);
    /* Returns the file's program, or 0 and the reason. Task context; for events in programs. */
    const struct pitot_program *(*program_load)(const char *path, const char **why);
    /*
     * Stops the program on this CPU before its next instruction, after a sample of an event with
     * the term `stop`. Any context.
     */
    void (*program_stop)(void);

    /* --- For call chains that continue in programs, and breakpoints there. --- */

    /*
     * Returns the number of the process whose thread runs on `cpu`, this CPU or a parked one, and
     * stores its program, or 0; returns 0 if there is no process. `stack` is 0, or an address in a
     * kernel stack of this CPU: during a switch its thread may still be the previous one. Any
     * context.
     */
    unsigned (*process)(unsigned cpu, unsigned long stack, const struct pitot_program **program);
    /* Reads memory of that process. Returns 1 if all of it is mapped, or 0. Any context. */
    int (*process_read)(unsigned cpu, unsigned long stack, unsigned long address, void *to,
                        unsigned long length);
    /*
     * Returns 0 if accesses to these bytes, or their execution, can occur in processes that run
     * `program` and have the number `pid`, of which 0 means any; or a negative errno. Task context.
     */
    int (*process_watchable)(const struct pitot_program *program, unsigned pid,
                             unsigned long address, unsigned long length, int execute,
                             const char **why);
    /*
     * Writes memory of the process on this CPU. Returns 1 if all of it is mapped and may be written
     * there, or 0. Any context; for `branches:u`, but not with Pitot's own entries.
     */
    int (*process_write)(unsigned long address, const void *from, unsigned long length);
    /*
     * Returns the current thread's state of steps in a program, or 0 if it has no program. Any
     * context; for `branches:u`. A thread that begins with a copy of another one's frame, as by
     * fork, has a copy of its state.
     */
    struct pitot_step *(*thread_step)(void);
    /* The system calls, up to 64, in the order of numbers; for `perf trace`, with PITOT_CALLS. */
    const struct pitot_call *calls;
    unsigned call_count;

    /* --- For gdb (GDB=1), which also needs `mapped`. Any context. --- */

    /*
     * A serial line that nothing else uses. gdb_get returns the received byte, or -1 at once; 0xff
     * 256 times in a row is taken for a port that is not there.
     */
    int (*gdb_get)(void);
    void (*gdb_put)(unsigned char byte);
    /* Turns off or restarts the machine; returns on failure. For gdb's kill. */
    void (*power)(enum pitot_power state);
    /*
     * Runs a line of gdb's `monitor`, shorter than PITOT_MONITOR_SIZE, in a thread that
     * thread_start has started. A line of one word that is no PITOT_COMMAND is refused before.
     * Task context; 0: pitot_command.
     */
    int (*command)(const char *line);
};
