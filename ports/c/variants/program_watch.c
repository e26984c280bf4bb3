/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel's CPUs run a program in ring 3 before their work: the first as the processes 7
 * and 9, the other one as 8; 7 and 8 are of the file /bin/clerk, 9 of /bin/guard. Its GS base leads
 * to a struct cpu with the number of the other CPU. Its branches can be recorded. With OWN_GATE of
 * the linker's command line, the debug traps come by the kernel's own gate. Linked in front of what
 * it wraps (port.mk) for tests/boot/ports_programs.t.
 */
#include "ports/c/variants/ring3.h"

#include "pitot.h"

#define HIGH           0xffffffff80000000ul /* where the image lies above its physical addresses */
#define KERNEL_GS_BASE 0xc0000102           /* what `swapgs` exchanges GS_BASE with */
#define INVALID_OPCODE 6
#define GATE           __attribute__((section(".text.gate"))) /* may not be watched */
#define EFER           0xc0000080
#define CALLS          1 /* in EFER: `syscall` */
#define STAR           0xc0000081
#define LSTAR          0xc0000082
#define FMASK          0xc0000084
#define TRAP_FLAG      0x100
#define PROCESSES_END  10

static const struct pitot_program clerk = {"/bin/clerk", 0, 0, 0}, guard = {"/bin/guard", 0, 0, 1};

static const struct {
    const char *name;
    const struct pitot_program *program;
} processes[PROCESSES_END] = {
    [7] = {"clerk", &clerk}, [8] = {"clerk", &clerk}, [9] = {"guard", &guard}};

extern const char OWN_GATE[]; /* 1, or 0 */
static char debug_stacks[CPUS][STACK_SIZE] __attribute__((aligned(16)));

static char program_stacks[CPUS][STACK_SIZE] __attribute__((aligned(16)));
static struct cpu false_cpus[CPUS];
static uint64_t kernel_sps[CPUS];
static unsigned runs[CPUS]; /* the process; 0: none */
static uint32_t begins;
static uint64_t steps[CPUS]; /* debug traps that the kernel serves */

/* One thread runs the programs of a CPU. */
static struct pitot_step thread_steps[CPUS];

extern const char program_begin[], program_asks[], program_end[];
extern uint64_t program_flags;

void __wrap_trap_serve(struct trap_frame *frame);
void __real_trap_serve(struct trap_frame *frame);
const char *__wrap_pitot_init(const struct pitot_kernel *kernel);
const char *__real_pitot_init(const struct pitot_kernel *kernel);
void __wrap_other_main(void);
void __real_other_main(void);
void __wrap_record_begin(const char *options);
void __real_record_begin(const char *options);
void __wrap_work(void);
void __real_work(void);

static unsigned process(unsigned cpu, unsigned long stack, const struct pitot_program **program)
{
    (void)stack;
    *program = processes[runs[cpu]].program;
    return runs[cpu];
}

/* The program's memory is the image, at its physical addresses. */
static int process_read(unsigned cpu, unsigned long stack, unsigned long address, void *to,
                        unsigned long length)
{
    (void)stack;
    if (!runs[cpu] || !is_mapped(address + HIGH, length))
        return 0;
    memcpy(to, (const void *)(address + HIGH), length);
    return 1;
}

static int process_write(unsigned long address, const void *from, unsigned long length)
{
    if (!is_mapped(address + HIGH, length))
        return 0;
    memcpy((void *)(address + HIGH), from, length);
    return 1;
}

static struct pitot_step *thread_step(void)
{
    uint32_t cpu = this_cpu()->number;

    return runs[cpu] ? &thread_steps[cpu] : 0;
}

static int process_watchable(const struct pitot_program *program, unsigned pid,
                             unsigned long address, unsigned long length, int execute,
                             const char **why)
{
    (void)execute;
    *why = "no such process";
    if (!program && (pid >= PROCESSES_END || !processes[pid].program))
        return -3; /* ESRCH */
    *why = "not in the program";
    return is_mapped(address + HIGH, length) ? 0 : -14; /* EFAULT */
}

static int is_path(const char *path, const struct pitot_program *program)
{
    const char *of = program->path;

    while (*of && *of == *path) {
        of++;
        path++;
    }
    return *of == *path;
}

static const struct pitot_program *load(const char *path, const char **why)
{
    *why = "no such file";
    return is_path(path, &clerk) ? &clerk : is_path(path, &guard) ? &guard : 0;
}

static enum pitot_task find(unsigned pid)
{
    return pid < PROCESSES_END && processes[pid].program ? PITOT_TASK_OF_PROGRAM : PITOT_TASK_NONE;
}

static void take_own_gate(struct pitot_kernel *with)
{
    debug_gate_set_stack(debug_stacks[1]);
    for (uint32_t cpu = 1; cpu < CPUS; cpu++)
        *(uint64_t *)(task_of(cpu) + FIRST_STACK) = (uint64_t)debug_stacks[cpu + 1];
    with->debug_ist = 0;
    with->gate_stack = debug_stacks[0];
    with->gate_stack_end = debug_stacks[CPUS];
}

const char *__wrap_pitot_init(const struct pitot_kernel *kernel)
{
    struct pitot_kernel with = *kernel;

    if ((uint64_t)OWN_GATE == 1)
        take_own_gate(&with);
    with.programs = (const void *)0x1000;
    with.programs_end = (const void *)0x40000000;
    with.process = process;
    with.process_read = process_read;
    with.process_write = process_write;
    with.thread_step = thread_step;
    with.process_watchable = process_watchable;
    with.program_load = load;
    with.task_find = find;
    return __real_pitot_init(&with);
}

/* A system call that returns by `iretq`, with the registers that `syscall` leaves. */
GATE static void serve_call(struct trap_frame *frame)
{
    frame->ip += 2;
    frame->cx = frame->ip;
    frame->r11 = frame->flags;
}

GATE void __wrap_trap_serve(struct trap_frame *frame)
{
    uint32_t cpu = this_cpu()->number;

    if ((uint64_t)OWN_GATE == 1 && frame->vector == DEBUG_VECTOR && pitot_debug_trap(frame))
        return;
    if (frame->vector == INVALID_OPCODE && frame->ip == (uint64_t)program_asks - HIGH)
        serve_call(frame);
    else if (frame->vector == INVALID_OPCODE)
        leave_program(frame, program_end, kernel_sps[cpu]);
    else if (frame->cs == PROGRAM_CODE && frame->vector == DEBUG_VECTOR)
        steps[cpu]++;
    else
        __real_trap_serve(frame);
    pitot_program_returns(frame);
}

/*
 * Ten rounds, of which r12 has the number; five steps, which the kernel serves; a read whose debug
 * trap comes at the system call's first instruction, if the CPU is as its manual; another call, by
 * `ud2` (serve_call); and two steps, in which it ends. program_flags gathers the flags that a
 * program sees while it does not step itself.
 */
__asm__(".data\n"
        "program_begin: pushq %rbp; movq %rsp, %rbp\n"
        "program_first: call program_middle\n"
        "program_after: ud2\n"
        "program_middle: pushq %rbp; movq %rsp, %rbp; xorl %r12d, %r12d\n"
        "pushfq; popq %rax; lock orq %rax, program_flags(%rip)\n"
        "program_loop: call program_inner\n"
        "program_back: incq %r12; cmpq $10, %r12\n"
        "program_again: jb program_loop\n"
        "pushfq; orq $0x100, (%rsp); popfq\n"
        "nop\n"
        "program_stepped: nop\n"
        "pushfq; andq $~0x100, (%rsp); popfq\n"
        "movw program_selector(%rip), %ss\n"
        "program_delayed: syscall\n"
        "lock orq %r11, program_flags(%rip)\n"
        "program_asks: ud2\n"
        "lock orq %r11, program_flags(%rip)\n"
        "pushfq; orq $0x100, (%rsp); popfq\n"
        "popq %rbp\n"
        "program_last: ret\n"
        "program_inner: pushq %rbp; movq %rsp, %rbp\n"
        "incq program_count(%rip)\n"
        "program_written: popq %rbp\n"
        "program_returns: ret\n"
        ".balign 8\n"
        "program_count: .quad 0\n"
        "program_flags: .quad 0\n"
        "program_selector: .quad 8 * 9 + 3\n" /* PROGRAM_DATA */
        ".text");

/* A system call, which writes while GS is the program's. */
extern const char program_call[];
__asm__(".pushsection .text.gate, \"ax\"\n"
        ".globl program_call; .type program_call, @function\n"
        "program_call: .cfi_startproc; .cfi_undefined rip\n"
        "incq calls(%rip); swapgs; swapgs; sysretq\n"
        ".cfi_endproc; .size program_call, . - program_call\n"
        ".popsection");
uint64_t calls;

static void write_register(uint32_t msr, uint64_t value)
{
    __asm__ volatile("wrmsr" : : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32)));
}

static void enable_calls(void)
{
    uint32_t low, high;

    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(EFER));
    write_register(EFER, (uint64_t)high << 32 | low | CALLS);
    write_register(STAR, (uint64_t)(PROGRAM_DATA - 8 - 3) << 48 | (uint64_t)KERNEL_CODE << 32);
    write_register(LSTAR, (uint64_t)program_call);
    write_register(FMASK, 0x300); /* TF, IF */
}

static void map_low(void)
{
    uint64_t *root;

    __asm__("movq %%cr3, %0" : "=r"(root));
    root[0] |= PROGRAM_PAGE;
    *(uint64_t *)(root[0] & ~0xfffull) |= PROGRAM_PAGE;
    __asm__ volatile("movq %0, %%cr3" : : "r"(root) : "memory");
}

static void switch_process(uint32_t cpu, unsigned number)
{
    runs[cpu] = number;
    pitot_thread_runs(number ? number : this_cpu()->current);
    pitot_program_runs();
}

__attribute__((noinline, noclone)) static void run_program(unsigned number)
{
    uint32_t cpu = this_cpu()->number;
    struct cpu *other = (struct cpu *)((uint64_t)&false_cpus[cpu] - HIGH);
    struct trap_frame frame = {.ip = (uint64_t)program_begin - HIGH,
                               .cs = PROGRAM_CODE,
                               .flags = 0x202,
                               .sp = (uint64_t)program_stacks[cpu] + STACK_SIZE - HIGH,
                               .ss = PROGRAM_DATA};

    __asm__ volatile("cli");
    prepare_program(thread_stacks[OTHERS_END + cpu] + STACK_SIZE);
    map_low();
    enable_calls();
    *other = (struct cpu){.number = CPUS - 1 - cpu, .self = other};
    write_register(KERNEL_GS_BASE, (uint64_t)other);
    switch_process(cpu, number);
    pitot_program_returns(&frame);
    __asm__ volatile("pushq %%rbp; movq %%rsp, %0\n\t"
                     "xorl %%ebp, %%ebp\n\t"
                     "pushq %1; pushq %2; pushq %3; pushq %4; pushq %5; swapgs; iretq\n"
                     "program_end: popq %%rbp"
                     : "=m"(kernel_sps[cpu])
                     : "r"(frame.ss), "r"(frame.sp), "r"(frame.flags), "r"(frame.cs), "r"(frame.ip)
                     : "memory", "cc", "rbx", "r12", "r13", "r14", "r15");
    switch_process(cpu, 0);
    __asm__ volatile("sti");
}

void __wrap_other_main(void)
{
    while (!__atomic_load_n(&begins, __ATOMIC_ACQUIRE))
        __asm__ volatile("pause");
    run_program(8);
    __real_other_main();
}

static void run_programs(void)
{
    for (unsigned number = 0; number < PROCESSES_END; number++)
        if (processes[number].name)
            pitot_thread_named(number, processes[number].name);
    __atomic_store_n(&begins, 1, __ATOMIC_RELEASE);
    run_program(7);
    run_program(9);
    say_number(steps[0]);
    say(" steps\n");
    if (program_flags & TRAP_FLAG)
        say("a program sees the trap flag of Pitot's steps\n");
}

/* Level 3, and level 4. */
void __wrap_record_begin(const char *options)
{
    __real_record_begin(options);
    run_programs();
}

void __wrap_work(void)
{
    run_programs();
    __real_work();
}
