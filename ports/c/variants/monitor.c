/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For gdb's `monitor`: a kernel that waits until gdb sets `let_go`, and commands that take long and
 * that ask for a command from another thread. For tests/boot/ports_monitor.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

#define TICKS 2500 /* in two and a half seconds */

int let_go;

__attribute__((noinline)) static void wait_to_go(void)
{
    while (!*(volatile int *)&let_go) {
        __asm__ volatile("hlt");
        thread_yield();
    }
}

void __wrap_console_run(const char *lines);
void __real_console_run(const char *lines);

void __wrap_console_run(const char *lines)
{
    __real_console_run(lines);
    wait_to_go();
}

static int rest_run(int argc, char **argv)
{
    uint64_t until = ticks + TICKS;

    (void)argc, (void)argv;
    while (*(volatile uint64_t *)&ticks < until) {
        __asm__ volatile("hlt");
        thread_yield();
    }
    pitot_print("rested\n");
    return 0;
}

PITOT_COMMAND(rest, "", "rests for a while", rest_run);

static void ask(void)
{
    pitot_command("work");
}

static int ask_run(int argc, char **argv)
{
    (void)argc, (void)argv;
    thread_make(1, "asker", ask);
    while (threads[1].runs)
        thread_yield();
    return 0;
}

PITOT_COMMAND(ask, "", "asks for work in another thread", ask_run);
