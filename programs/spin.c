/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Busy-loops until a signal ends it. `spin calls` calls getpid in the loop; `spin flags` executes
 * pushfq and popfq. `spin writes` writes 8 MiB to the console in one call, `spin turns N` exits
 * after N turns.
 */
#include "programs/system.h"
#include "programs/text.h"

#define BYTES (8ul << 20)

static volatile unsigned long turns; /* work that the compiler cannot omit; may be watched */

int main(int argc, char **argv);

static int writes(void)
{
    long memory = system_mmap(BYTES, 3);
    char *text = (char *)memory;

    if (memory < 0)
        return 1;
    for (size_t i = 0; i < BYTES; i++)
        text[i] = i % 64 ? 'x' : '\n';
    return system_write(1, text, BYTES) != BYTES;
}

_Noreturn static void flags(void)
{
    for (;;)
        __asm__ volatile("pushfq; popfq" : : : "memory", "cc");
}

static int spin_turns(long most)
{
    while ((long)turns < most)
        turns = turns + 1;
    say_number("spin: ", (long)turns, " turns");
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && text_equal(argv[1], "turns"))
        return spin_turns(text_number(argv[2]));
    say("spin: until ^C; beside the console, until `kill PID`");
    if (argc > 1 && text_equal(argv[1], "writes"))
        return writes();
    if (argc > 1 && text_equal(argv[1], "flags"))
        flags();
    for (;;) {
        turns = turns + 1;
        if (argc > 1)
            system_getpid();
    }
}
