/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * attack NAME: tries to bring the kernel down; some attacks get the program killed. attack all:
 * each attack in a process of its own, and a line that says whether it ended as it must. attack
 * storm [TURNS]: system calls and flags in all orders, to be interrupted. attack brood: 32
 * children. attack names: more programs than the kernel remembers. attack sleep: a child of one of
 * them.
 */
#include "tests/programs/attack.h"

#include "programs/system.h"
#include "programs/text.h"

#define TURNS          4000000 /* of a loop: six ticks, at 8 ns per instruction */
#define SURVIVES       0
#define SIGILL         4
#define SIGTRAP        5
#define SIGFPE         8
#define SIGSEGV        11
#define FLAG_DIRECTION 0x400
#define FLAG_NESTED    0x4000
#define FLAG_ALIGNMENT 0x40000
#define DESCRIPTOR     0x23
#define PAGE           4096
#define PIECE_MOST     (64ul << 20) /* of one mmap */
#define CROWD_MOST     64           /* processes at once */
#define SIGKILL        9
#define BROOD          32
#define ENOMEM         12
#define EAGAIN         11

int main(int argc, char **argv);

static volatile uintptr_t kernel = 0xffffffff80200000, nowhere = 0x10;
static volatile int zero;
static char code_in_data[16] = {(char)0xc3}; /* a `ret` */

static void read_kernel(void)
{
    (void)*(volatile char *)kernel;
}

static void write_kernel(void)
{
    *(volatile char *)kernel = 0;
}

static void read_all_memory(void)
{
    (void)*(volatile char *)0xffff800000100000;
}

static void read_null(void)
{
    (void)*(volatile char *)nowhere;
}

static void read_non_canonical(void)
{
    (void)*(volatile char *)(nowhere << 59);
}

static void write_text(void)
{
    *(volatile char *)(uintptr_t)main = 0;
}

static void write_rodata(void)
{
    static const char constant[] = "constant";

    *(volatile char *)((uintptr_t)constant + nowhere - 0x10) = 'C';
}

static void execute_data(void)
{
    void (*volatile function)(void) = (void (*)(void))(uintptr_t)code_in_data;

    function();
}

static void execute_stack(void)
{
    volatile char code[16] = {(char)0xc3};
    void (*volatile function)(void) = (void (*)(void))(uintptr_t)code;

    function();
}

static void divide(void)
{
    zero = 100 / zero;
}

static unsigned long deeper(unsigned long depth);
static unsigned long (*volatile recurse)(unsigned long) = deeper;

static unsigned long deeper(unsigned long depth)
{
    volatile char frame[256];

    frame[depth % sizeof(frame)] = (char)depth;
    return recurse(depth + 1) + (unsigned long)frame[depth % sizeof(frame)];
}

static void stack_overflow(void)
{
    (void)recurse(0);
}

static void expect_nothing(uint64_t changed)
{
    if (changed)
        system_exit(1);
}

static void flags(void)
{
    expect_nothing(attack_flags(FLAG_DIRECTION, TURNS));
    expect_nothing(attack_flags(FLAG_NESTED, TURNS));
    expect_nothing(attack_flags(FLAG_ALIGNMENT, TURNS));
    expect_nothing(attack_flags(FLAG_DIRECTION | FLAG_NESTED | FLAG_ALIGNMENT, TURNS));
}

static void stack_pointer(void)
{
    expect_nothing(attack_stack_pointer(0, TURNS));
    expect_nothing(attack_stack_pointer(kernel, TURNS));
    expect_nothing(attack_stack_pointer(0xffffc10000004000, TURNS));
    expect_nothing(attack_stack_pointer(nowhere << 59, TURNS));
    expect_nothing(attack_stack_pointer(1, TURNS));
}

static void segments(void)
{
    expect_nothing(attack_segments(0, TURNS));
    expect_nothing(attack_segments(DESCRIPTOR, TURNS));
    expect_nothing(attack_segments(3, TURNS));
}

static void registers(void)
{
    expect_nothing(attack_registers());
}

static void numbers(void)
{
    static const long wrong[] = {-1, 400, 1023, 1025, 1l << 32, 1l << 62, INT64_MIN};

    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        if (system_call(wrong[i], 0, 0, 0, 0) != -38) /* ENOSYS */
            system_exit(1);
}

static void iopl(void)
{
    expect_nothing(attack_iopl());
}

/* The CPU would still know the page if it was not flushed. */
static void unmapped(void)
{
    const long page = system_mmap(PAGE, 3);
    volatile char *byte = (volatile char *)page;

    *byte = 1;
    expect_nothing((uint64_t)system_munmap((uintptr_t)page, PAGE));
    *byte = 2;
}

static long sleeper(void)
{
    const char *argv[] = {"attack", "sleep", NULL};

    return system_spawn("/bin/attack", argv);
}

/* This program takes all memory: what the kernel needs memory for is refused. */
static void memory(void)
{
    for (size_t size = PIECE_MOST; size >= PAGE; size /= 2)
        while (system_mmap(size, 3) > 0) {
        }
    if (sleeper() != -ENOMEM || system_poll(NULL, 0, 0) != -ENOMEM)
        system_exit(1);
}

/* Creates children until no more can be created; then all end. */
static void crowd(void)
{
    long child[CROWD_MOST], last = 0;
    int count = 0, status;

    while (count < CROWD_MOST && (last = sleeper()) > 0)
        child[count++] = last;
    for (int i = 0; i < count; i++)
        if (system_kill((int)child[i], SIGKILL) || system_wait4((int)child[i], &status, 0) < 0 ||
            status != SIGKILL)
            system_exit(1);
    if (last != -EAGAIN)
        system_exit(2);
}

#define OF_ASSEMBLY(name, signal)                                                                  \
    {                                                                                              \
#name, attack_##name, signal, 0                                                            \
    }
#define OF_C(name, signal)                                                                         \
    {                                                                                              \
#name, name, signal, 0                                                                     \
    }

static const struct {
    const char *name;
    void (*run)(void);
    int signal; /* that kills the program; SURVIVES: it exits with 0 */
    int or ;    /* ... or this one, unless 0 */
} attacks[] = {
    OF_ASSEMBLY(hlt, SIGSEGV),
    OF_ASSEMBLY(cli, SIGSEGV),
    OF_ASSEMBLY(in, SIGSEGV),
    OF_ASSEMBLY(out, SIGSEGV),
    OF_ASSEMBLY(rdmsr, SIGSEGV),
    OF_ASSEMBLY(wrmsr, SIGSEGV),
    OF_ASSEMBLY(lgdt, SIGSEGV),
    OF_ASSEMBLY(lidt, SIGSEGV),
    OF_ASSEMBLY(ltr, SIGSEGV),
    OF_ASSEMBLY(lldt, SIGSEGV),
    OF_ASSEMBLY(clts, SIGSEGV),
    OF_ASSEMBLY(invlpg, SIGSEGV),
    {"wbinvd", attack_wbinvd, SIGSEGV, SIGILL}, /* QEMU 10 executes it: docs/machines.md */
    OF_ASSEMBLY(swapgs, SIGSEGV),
    OF_ASSEMBLY(sysret, SIGSEGV),
    {"sysenter", attack_sysenter, SIGSEGV, SIGILL}, /* AMD CPUs lack it in 64-bit mode */
    OF_ASSEMBLY(read_cr3, SIGSEGV),
    OF_ASSEMBLY(write_cr4, SIGSEGV),
    OF_ASSEMBLY(read_dr7, SIGSEGV),
    OF_ASSEMBLY(write_dr7, SIGSEGV),
    OF_ASSEMBLY(write_dr0, SIGSEGV),
    OF_ASSEMBLY(rdpmc, SIGSEGV),
    OF_ASSEMBLY(int_80, SIGSEGV),
    OF_ASSEMBLY(int_1, SIGSEGV),
    OF_ASSEMBLY(int_timer, SIGSEGV),
    OF_ASSEMBLY(iretq_kernel, SIGSEGV),
    OF_ASSEMBLY(retf_kernel, SIGSEGV),
    OF_ASSEMBLY(retf_32, SIGSEGV),
    OF_ASSEMBLY(mov_ss_kernel, SIGSEGV),
    OF_ASSEMBLY(mov_ss_null, SIGSEGV),
    OF_ASSEMBLY(virtual_kernel, SIGSEGV),
    OF_ASSEMBLY(virtual_quiet, SIGSEGV),
    {"virtual_step", attack_virtual_step, SIGSEGV, SIGTRAP}, /* QEMU enters that mode */
    OF_ASSEMBLY(virtual_program, SIGSEGV),
    OF_ASSEMBLY(virtual_null, SIGSEGV),
    OF_ASSEMBLY(wrgsbase, SIGILL),
    OF_ASSEMBLY(stac, SIGILL),
    OF_ASSEMBLY(ud2, SIGILL),
    OF_ASSEMBLY(sse, SIGILL),
    OF_ASSEMBLY(x87, SIGFPE),
    OF_ASSEMBLY(int3, SIGTRAP),
    {"int1", attack_int1, SIGTRAP, SIGILL}, /* QEMU 7.2 lacks it */
    OF_ASSEMBLY(trap_flag, SIGTRAP),
    OF_ASSEMBLY(trap_flag_syscall, SIGTRAP),
    OF_ASSEMBLY(trap_flag_int3, SIGTRAP),
    OF_ASSEMBLY(flags_int3, SIGTRAP),
    OF_ASSEMBLY(flags_ud2, SIGILL),
    OF_ASSEMBLY(flags_step, SIGTRAP),
    OF_ASSEMBLY(jump_kernel, SIGSEGV),
    OF_ASSEMBLY(jump_non_canonical, SIGSEGV),
    OF_ASSEMBLY(edge, SIGSEGV),
    OF_ASSEMBLY(ss_syscall, SURVIVES),
    OF_ASSEMBLY(lss_syscall, SURVIVES),
    OF_ASSEMBLY(ss_int3, SIGTRAP),
    OF_ASSEMBLY(ss_trap_flag_syscall, SIGTRAP),
    OF_ASSEMBLY(ss_trap_flag_int3, SIGTRAP),
    OF_ASSEMBLY(trap_flag_operand, SIGTRAP),
    OF_ASSEMBLY(trap_flag_syscall_operand, SIGTRAP),
    OF_C(read_kernel, SIGSEGV),
    OF_C(write_kernel, SIGSEGV),
    OF_C(read_all_memory, SIGSEGV),
    OF_C(read_null, SIGSEGV),
    OF_C(read_non_canonical, SIGSEGV),
    OF_C(write_text, SIGSEGV),
    OF_C(write_rodata, SIGSEGV),
    OF_C(execute_data, SIGSEGV),
    OF_C(execute_stack, SIGSEGV),
    OF_C(divide, SIGFPE),
    OF_C(stack_overflow, SIGSEGV),
    OF_C(flags, SURVIVES),
    OF_C(stack_pointer, SURVIVES),
    OF_C(segments, SURVIVES),
    OF_C(registers, SURVIVES),
    OF_C(numbers, SURVIVES),
    OF_C(iopl, SURVIVES),
    OF_C(unmapped, SIGSEGV),
    OF_C(memory, SURVIVES),
    OF_C(crowd, SURVIVES),
};

#define ATTACKS (sizeof(attacks) / sizeof(attacks[0]))

/*
 * Runs an attack in a separate process; its status is the signal, as none exits with another
 * status.
 */
static bool ended_as_it_must(const char *program, unsigned i, int *status)
{
    const char *argv[] = {program, attacks[i].name, NULL};
    long child = system_spawn("/bin/attack", argv);

    *status = -1;
    if (child < 0 || system_wait4((int)child, status, 0) != child)
        return false;
    return *status == attacks[i].signal || (attacks[i].or &&*status == attacks[i].or);
}

static int attack_all(const char *program)
{
    int failed = 0;

    for (unsigned i = 0; i < ATTACKS; i++) {
        struct line line = {.length = 0};
        int status;
        bool good = ended_as_it_must(program, i, &status);

        line_add(&line, good ? "attack: ok " : "attack: not ok ");
        line_add(&line, attacks[i].name);
        line_add(&line, ", status ");
        line_add_hex(&line, (unsigned)status);
        line_end(&line);
        failed += !good;
    }
    say(failed ? "attack: the kernel has not done as it must" : "attack: all ended as they must");
    return failed > 0;
}

static int attack_storm(long turns)
{
    for (long i = 0; i < turns; i++) {
        uint64_t set =
            (i & 1 ? FLAG_DIRECTION : 0) | (i & 2 ? FLAG_NESTED : 0) | (i & 4 ? FLAG_ALIGNMENT : 0);

        expect_nothing(attack_flags(set, 1));
        expect_nothing(attack_stack_pointer(i & 8 ? kernel : 0, 1));
    }
    return 0;
}

/* All are created at once, on all CPUs. */
static int attack_brood(void)
{
    const char *argv[] = {"attack", "numbers", NULL};
    int status;

    for (unsigned i = 0; i < BROOD; i++)
        if (system_spawn("/bin/attack", argv) < 0)
            return 1;
    for (unsigned i = 0; i < BROOD; i++)
        if (system_wait4(-1, &status, 0) < 0 || status != 0)
            return 1;
    return 0;
}

/* More programs than the kernel keeps names for. */
static int attack_names(void)
{
    static char name[] = "/attack.00", before[sizeof(name)];
    const char *argv[] = {"attack", "numbers", NULL};
    int status;

    for (unsigned i = 0; i < 40; i++) {
        for (unsigned at = 0; at < sizeof(name); at++)
            before[at] = name[at];
        name[8] = (char)('0' + i / 10);
        name[9] = (char)('0' + i % 10);
        if (system_rename(i ? before : "/bin/attack", name) || system_spawn(name, argv) < 0 ||
            system_wait4(-1, &status, 0) < 0 || status != 0)
            return 1;
    }
    return system_rename(name, "/bin/attack") != 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && text_equal(argv[1], "all"))
        return attack_all(argv[0]);
    if (argc > 1 && text_equal(argv[1], "storm"))
        return attack_storm(argc > 2 ? text_number(argv[2]) : 20000);
    if (argc > 1 && text_equal(argv[1], "brood"))
        return attack_brood();
    if (argc > 1 && text_equal(argv[1], "names"))
        return attack_names();
    if (argc > 1 && text_equal(argv[1], "sleep"))
        return system_nanosleep(1000000, 0) != 0;
    for (unsigned i = 0; argc == 2 && i < ATTACKS; i++)
        if (text_equal(argv[1], attacks[i].name)) {
            attacks[i].run();
            return 0;
        }
    say("attack: how? `all`, `storm`, or one that attack.c lists");
    return 2;
}
