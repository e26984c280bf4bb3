/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel: its own types, descriptor tables, GS, timer and threads, on CPUS processors,
 * of which the first runs the threads. Only pitot_level*.c and lines with PITOT know of Pitot.
 */
#pragma once

/* Its own types: it has no C library. */
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t; /* <stdint.h> may say long long */
typedef uint64_t size_t;

#define DEBUG_VECTOR 1
#define TIMER_VECTOR 32
#define OTHER_VECTOR 46 /* the interrupt controllers' spurious one, not served */
#define STAND_VECTOR 47 /* from another CPU: stand still */
#define THREADS      4
#define OTHERS_END   (THREADS + CPUS - 1) /* each other CPU is one */
#define ALL_THREADS  (OTHERS_END + 3)     /* and three of Pitot's (level 6) */
#define STACK_SIZE   16384

/* As trap_common (entry.S) and the CPU push it. */
struct trap_frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8, bp, di, si, dx, cx, bx, ax;
    uint64_t vector, error;
    uint64_t ip, cs, flags, sp, ss;
};

/* GS points to it. */
struct cpu {
    uint32_t number;
    uint32_t current; /* thread */
    struct cpu *self;
    uint32_t runs; /* written by the CPU, read by the first */
};

struct thread {
    uint64_t sp;
    const char *name;
    int runs; /* until its function returns */
};

extern struct cpu cpus[CPUS];
extern struct thread threads[ALL_THREADS]; /* 0: the boot thread */
extern char boot_stack[], boot_stack_end[];
extern char thread_stacks[ALL_THREADS][STACK_SIZE];
extern uint64_t ticks;

/* kernel.ld */
extern const char image_start[], image_end[], text_start[], text_end[], gate_start[], gate_end[];

static inline struct cpu *this_cpu(void)
{
    struct cpu *self;

    __asm__ volatile("movq %%gs:8, %0" : "=r"(self));
    return self;
}

/* cpu.c */
void cpu_init(void);
uint64_t cpu_cycles(void);
void port_write(uint16_t port, uint8_t value);
uint8_t port_read(uint16_t port);
void serial_write(uint16_t port, const void *bytes, size_t length);
void say(const char *text);
void say_number(uint64_t number);
void stop_machine(int status) __attribute__((noreturn));

/* others.c: all CPUs but the first */
void others_start(void);
void others_interrupt(uint32_t vector);
void others_served(void); /* an interrupt from another CPU */
void other_init(uint32_t number);

/* main.c */
void other_main(void);
void work(void);

/* thread.c */
void thread_make(uint32_t number, const char *name, void (*run)(void));
void thread_yield(void);
void thread_end(void);

/* entry.S */
void thread_switch(uint64_t *from, uint64_t to);
void thread_begin(void);
extern char trap_table[];

/* Names that many kernels have, as Pitot does. */
void *memcpy(void *to, const void *from, size_t length);
void *memset(void *to, int value, size_t length);
void event_init(const char *text);

/* Members of struct pitot_kernel, each in the file of its level, or absent. */
int stack_find(uint64_t address, uint64_t *low, uint64_t *high) __attribute__((weak));
int is_mapped(uint64_t address, uint64_t length) __attribute__((weak));
uint32_t cpu_number(void) __attribute__((weak));
void others_ask(void) __attribute__((weak));
void console_print(const char *text, uint64_t length) __attribute__((weak));
int gdb_get(void) __attribute__((weak));
void gdb_put(uint8_t byte) __attribute__((weak));
const char *thread_start(const char *name, void (*run)(void *), uint32_t *pid)
    __attribute__((weak));
void thread_wait(uint32_t channel, int (*until)(void)) __attribute__((weak));
void thread_wake(uint32_t channel) __attribute__((weak));
void *memory_kept(uint64_t *bytes) __attribute__((weak));

/* pitot_level0.c: at the end of the boot, and around the work. `options`: the command line. */
void pitot_prepare(void);
void record_begin(const char *options);
void record_end(void);

/* pitot_level5.c, or absent: waits for gdb, or returns the error. */
const char *gdb_begin(void) __attribute__((weak));

/* pitot_level4.c, or absent: in place of the work, runs commands separated by semicolons. */
void console_run(const char *lines) __attribute__((weak));
