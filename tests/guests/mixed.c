/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Six threads that call, recurse and switch at random, in every way that kernels do: by ret, jmp,
 * iretq and lretq; from handlers; with retpolines, longjmp, a handler with its own stack, a call on
 * another stack, threads that end and begin again. True: before each write of `probe` the guest
 * writes its own list of callers to port 0xe9, innermost first: a letter for a function; A, B or T
 * for an interrupt; S for a call on another stack; a digit for the thread. SEED, PROBES.
 */
#include "tests/guests/guest.h"

#define THREADS    6
#define STACK_SIZE 65536
#define DEPTH      5
#define HANDLERS   3 /* at once, on one thread's stack */

struct thread {
    uint64_t rsp;
    int depth, handlers, stays, ended; /* stays: it may not switch */
    char callers[400];
    void *jump[5];
    int may_jump, jump_depth;
};

static uint8_t stacks[THREADS][STACK_SIZE] __attribute__((aligned(4096)));
static uint8_t handler_stack[STACK_SIZE], call_stack[STACK_SIZE] __attribute__((aligned(16)));
static struct thread threads[THREADS], *current = threads;
static int handler_stack_used, call_stack_used;
static uint64_t random = SEED * UINT64_C(0x9e3779b97f4a7c15) + 1;
volatile uint64_t probe;
uint64_t resumed;

typedef void switcher(uint64_t *left, uint64_t rsp);
typedef void function(int depth);

/* --- Switches. A suspended stack holds registers, flags, and where the thread continues --- */

#define LEAVE "pushf; cli\n" PUSH_SAVED
extern switcher by_ret, by_jump, by_iretq, by_lretq, by_exchange, by_address;
FUNCTION(by_ret, LEAVE "mov %rsp, (%rdi); mov %rsi, %rsp\n" POP_SAVED "popf; ret");
FUNCTION(by_jump, LEAVE "mov %rsp, (%rdi); mov %rsi, %rsp\n" POP_SAVED "popf; pop %rcx; jmp *%rcx");
FUNCTION(by_exchange, LEAVE "xchg %rsp, %rsi; mov %rsi, (%rdi)\n" POP_SAVED "popf; ret");
FUNCTION(by_address, LEAVE "mov %rsp, (%rdi); mov %rsi, %rsp\n" POP_SAVED
                           "mov 8(%rsp), %rcx; popf; lea 8(%rsp), %rsp; jmp *%rcx");
FUNCTION(by_iretq,
         LEAVE "mov %rsp, (%rdi); mov %rsi, %rsp\n" POP_SAVED "pop %rdx; pop %rcx; mov %rsp, %rax\n"
               "push $0x10; push %rax; push %rdx; push $8; push %rcx; iretq");
FUNCTION(by_lretq, LEAVE "mov %rsp, (%rdi); mov %rsi, resumed; mov resumed, %rsp\n" POP_SAVED
                         "popf; pop %rcx; push $8; push %rcx; lretq");

#define HANDLER(letter)                                                                            \
    PUSH_ALL "mov $" letter ", %edi; mov %rsp, %rbp; and $-16, %rsp; call handle\n"                \
             "mov %rbp, %rsp\n" POP_ALL "iretq"
extern void handler_a(void), handler_b(void), handler_t(void);
FUNCTION(handler_a, HANDLER("'A'"));
FUNCTION(handler_b, HANDLER("'B'"));
FUNCTION(handler_t, HANDLER("'T'"));

extern void begin(void), retpoline(void);
FUNCTION(begin, "mov %rbx, %rdi; sti; call *%r12; hlt");
FUNCTION(retpoline, "call 1f; 2: pause; jmp 2b; 1: mov %r11, (%rsp); ret");
extern void call_there(function *callee, int depth, uint64_t rsp);
FUNCTION(call_there, "push %rbx; mov %rsp, %rbx; mov %rdx, %rsp; mov %rdi, %rax; mov %esi, %edi\n"
                     "call *%rax; mov %rbx, %rsp; pop %rbx; ret");

static inline uint64_t interrupts_off(void)
{
    uint64_t flags;

    __asm__ volatile("pushf; pop %0; cli" : "=r"(flags)::"memory");
    return flags;
}

static inline void interrupts_as(uint64_t flags)
{
    __asm__ volatile("push %0; popf" ::"r"(flags) : "memory");
}

static inline uint32_t choose(uint32_t count)
{
    uint64_t flags = interrupts_off();
    uint32_t chosen;

    random ^= random << 13;
    random ^= random >> 7;
    random ^= random << 17;
    chosen = (uint32_t)(random >> 20) % count;
    interrupts_as(flags);
    return chosen;
}

/* --- The guest's list of its callers --- */

static inline void enter(int letter)
{
    uint64_t flags = interrupts_off();

    current->callers[current->depth++] = (char)letter;
    interrupts_as(flags);
}

static inline void leave(void)
{
    uint64_t flags = interrupts_off();

    current->depth--;
    interrupts_as(flags);
}

NOINLINE void write_probe(void)
{
    uint64_t flags = interrupts_off();

    for (int i = current->depth - 1; i >= 0; i--)
        out(0xe9, (uint8_t)current->callers[i]);
    out(0xe9, '\n');
    if (++probe == PROBES)
        quit();
    interrupts_as(flags);
}

/* --- The work --- */

NOINLINE void act(int depth);

#define F(name, letter, size)                                                                      \
    NOINLINE void name(int depth)                                                                  \
    {                                                                                              \
        volatile char locals[size];                                                                \
                                                                                                   \
        enter(letter);                                                                             \
        locals[0] = 1;                                                                             \
        for (uint32_t times = 1 + choose(3); times > 0; times--)                                   \
            act(depth - 1);                                                                        \
        leave();                                                                                   \
        KEEP_FRAME();                                                                              \
    }
F(f_a, 'a', 8)
F(f_b, 'b', 8)
F(f_c, 'c', 300)
F(f_d, 'd', 9000)
F(f_e, 'e', 1 + choose(2500))

NOINLINE void f_j(int depth)
{
    struct thread *thread = current;

    enter('j');
    if (thread->may_jump || thread->handlers || thread->stays) {
        act(depth - 1);
    } else {
        thread->jump_depth = thread->depth;
        if (!__builtin_setjmp(thread->jump)) {
            thread->may_jump = 1;
            act(depth - 1);
            act(depth - 1);
            thread->may_jump = 0;
        } else {
            current->depth = current->jump_depth;
        }
    }
    leave();
    KEEP_FRAME();
}

extern function f_t;
FUNCTION(f_t, "jmp f_b");

static function *const functions[] = {f_a, f_b, f_c, f_d, f_e, f_j, f_t};
static switcher *const switchers[] = {by_ret, by_jump, by_exchange, by_address, by_iretq, by_lretq};
#define ANY(array) (array)[choose(sizeof(array) / sizeof((array)[0]))]

USED NOINLINE void run(int number);

static void make(struct thread *thread)
{
    uint64_t number = (uint64_t)(thread - threads);
    uint64_t *top = (uint64_t *)(stacks[number] + STACK_SIZE - 16);
    uint64_t made[] = {0, 0, 0, (uint64_t)run, 0, number, 2, (uint64_t)begin, 0};

    for (int i = 8; i >= 0; i--)
        *--top = made[i];
    *thread = (struct thread){.rsp = (uint64_t)top};
}

static void resume(uint64_t *left, struct thread *thread)
{
    if (thread->ended)
        make(thread);
    current = thread;
    ANY(switchers)(left, thread->rsp);
}

NOINLINE void yield(void)
{
    uint64_t flags = interrupts_off();
    struct thread *thread = current, *next = &ANY(threads);

    if (next != thread && !thread->stays)
        resume(&thread->rsp, next);
    interrupts_as(flags);
}

NOINLINE void end(void)
{
    uint64_t nowhere;

    interrupts_off();
    current->ended = 1;
    resume(&nowhere, &threads[(current - threads + 1 + choose(THREADS - 1)) % THREADS]);
}

USED NOINLINE void run(int number)
{
    enter('0' + number);
    for (;;) {
        ANY(functions)(DEPTH);
        if (choose(6) == 0)
            end();
    }
}

USED NOINLINE void handle(int letter)
{
    int own = letter == 'B'; /* a stack of its own, so it can neither switch nor nest */

    enter(letter);
    current->handlers++;
    current->stays += own;
    handler_stack_used |= own;
    if (letter == 'T')
        out(0x20, 0x20);
    if (!own && current->handlers < HANDLERS && choose(2))
        __asm__ volatile("sti");
    if (choose(2))
        act(3);
    if (choose(3) == 0)
        write_probe();
    if (!own && choose(2))
        yield();
    __asm__ volatile("cli");
    handler_stack_used &= !own;
    current->stays -= own;
    current->handlers--;
    leave();
    KEEP_FRAME();
}

static void interrupt_with_stack(void)
{
    uint64_t flags = interrupts_off();

    if (!handler_stack_used && current->handlers < HANDLERS)
        __asm__ volatile("int $0x31" ::: "memory");
    interrupts_as(flags);
}

static void call_on_stack(int depth)
{
    uint64_t flags = interrupts_off();

    if (!call_stack_used) {
        call_stack_used = 1;
        current->stays++;
        enter('S');
        call_there(ANY(functions), depth, (uint64_t)call_stack + STACK_SIZE);
        leave();
        current->stays--;
        call_stack_used = 0;
    }
    interrupts_as(flags);
}

NOINLINE void act(int depth)
{
    uint32_t chosen = choose(16);

    if (chosen < 5 && depth > 0)
        ANY(functions)(depth);
    else if (chosen < 7 && depth > 0)
        __asm__ volatile("mov %0, %%r11; mov %1, %%edi; call retpoline" ::"r"(ANY(functions)),
                         "r"(depth)
                         : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory");
    else if (chosen < 10)
        write_probe();
    else if (chosen < 12)
        yield();
    else if (chosen == 12 && current->handlers < HANDLERS)
        __asm__ volatile("int $0x30" ::: "memory");
    else if (chosen == 13)
        interrupt_with_stack();
    else if (chosen == 14 && depth > 0)
        call_on_stack(depth);
    else if (chosen == 15 && current->may_jump && !current->handlers && !current->stays) {
        current->may_jump = 0;
        __builtin_longjmp(current->jump, 1);
    }
    KEEP_FRAME();
}

void main(void)
{
    static struct tss tss;
    uint64_t nowhere;

    for (int i = 0; i < THREADS; i++)
        make(&threads[i]);
    tss.ist[0] = (uint64_t)handler_stack + STACK_SIZE;
    load_tss(&tss);
    set_gate(32, handler_t, 0);
    set_gate(0x30, handler_a, 0);
    set_gate(0x31, handler_b, 1);
    start_timer(1193);
    resume(&nowhere, &threads[0]);
}
