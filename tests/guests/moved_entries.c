/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries into the kernel that switch to a second stack before they call a function. A program's
 * system call first runs on the CPU's stack; its `int 0x80` on the task state segment's, whose
 * frame is copied to the thread's stack. The frame of an exception in the kernel is copied to the
 * interrupted stack. At the end `sysret` starts a new program, which makes a system call before it
 * has accessed its stack. True: leaf < sys_call < call_entry < caller < program twice, < program
 * once, and < next_program three times; leaf < sys_int < int_entry < trapper < program; leaf < trap
 * < trap_entry < worker < sys_call < call_entry < caller < program twice; three interrupts.
 */
#include "tests/guests/guest.h"

struct frame { /* as pushed by int_entry */
    uint64_t ax, ip, cs, flags, sp, ss;
};

static uint8_t cpu_stack[4096] __attribute__((aligned(4096)));
static uint8_t thread_stack[8192] __attribute__((aligned(4096)));
static uint8_t user_stack[8192] __attribute__((aligned(4096)));
static uint8_t entry_stack[4096] __attribute__((aligned(4096)));
static uint8_t trap_stack[4096] __attribute__((aligned(4096)));
static struct tss tss;
uint64_t cpu_top = (uint64_t)(cpu_stack + sizeof(cpu_stack)), user_rsp, user_ip;
uint64_t thread_top = (uint64_t)(thread_stack + sizeof(thread_stack));
volatile uint64_t count, calls;

extern void call_entry(void), int_entry(void), trap_entry(void), program(void), caller(void);
extern void trapper(void), next_program(void), enter_user(uint64_t ip, uint64_t rsp);
FUNCTION(call_entry,
         "mov %rsp, user_rsp; mov %rcx, user_ip; mov cpu_top, %rsp; push %r11; pop %r11\n"
         "mov thread_top, %rsp; push %r11; call sys_call; pop %r11\n"
         "mov user_ip, %rcx; mov user_rsp, %rsp; sysretq");
FUNCTION(int_entry, "push %rax; mov %rsp, %rdi; call move_to_thread; mov %rax, %rsp; call sys_int\n"
                    "pop %rax; iretq");
FUNCTION(trap_entry, "push %rax; mov %rsp, %rdi; call move_below; mov %rax, %rsp; call trap\n"
                     "pop %rax; iretq");
FUNCTION(enter_user, "push $0x1b; push %rsi; push $2; push $0x23; push %rdi; iretq");
FUNCTION(program, "call caller; call trapper; syscall; call caller; jmp program");
FUNCTION(caller, "syscall; ret");
FUNCTION(trapper, "int $0x80; ret");
FUNCTION(next_program, "syscall; jmp next_program");

NOINLINE void leaf(void)
{
    count++;
    KEEP_FRAME();
}

USED NOINLINE struct frame *move_to_thread(const struct frame *from)
{
    struct frame *to = (struct frame *)thread_top - 1;

    *to = *from;
    return to;
}

USED NOINLINE struct frame *move_below(const struct frame *from)
{
    struct frame *to = (struct frame *)(from->sp & ~15ul) - 1;

    *to = *from;
    return to;
}

USED NOINLINE void trap(void)
{
    leaf();
    KEEP_FRAME();
}

NOINLINE void worker(void)
{
    __asm__ volatile("int3");
    KEEP_FRAME();
}

USED NOINLINE void sys_call(void)
{
    leaf();
    if (++calls == 1 || calls == 3)
        worker();
    if (calls == 3) {
        user_ip = (uint64_t)next_program;
        user_rsp = (uint64_t)(user_stack + 4096);
    }
    if (calls == 6)
        quit();
    KEEP_FRAME();
}

USED NOINLINE void sys_int(void)
{
    leaf();
    KEEP_FRAME();
}

void main(void)
{
    open_memory();
    set_syscall(call_entry);
    tss.rsp[0] = (uint64_t)(entry_stack + sizeof(entry_stack));
    tss.ist[0] = (uint64_t)(trap_stack + sizeof(trap_stack));
    load_tss(&tss);
    set_gate(3, trap_entry, 1);
    set_gate(0x80, int_entry, 0);
    idt[0x80].type = 0xee;
    enter_user((uint64_t)program, (uint64_t)(user_stack + sizeof(user_stack)));
}
