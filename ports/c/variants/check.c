/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel asks after its recording what of its port is wrong or has not been tried. TRAPS
 * of the linker's command line is 0 for a kernel that lists another return address than its
 * entry's, and gives functions for nothing. Linked in front of pitot_init and record_end (port.mk)
 * for tests/boot/ports_c.t.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

extern const char TRAPS[];

const char *__wrap_pitot_init(const struct pitot_kernel *kernel);
const char *__real_pitot_init(const struct pitot_kernel *kernel);
void __wrap_record_end(void);
void __real_record_end(void);

static void nothing(void)
{
}

/* Without console commands and gdb they are never called. */
static void unheard(const char *text, unsigned long length)
{
    (void)text, (void)length;
}

const char *__wrap_pitot_init(const struct pitot_kernel *kernel)
{
    static const void *const other = text_end;
    struct pitot_kernel with = *kernel;

    if ((uint64_t)TRAPS != 1) {
        with.traps = &other;
        with.trap_count = 1;
        with.print = unheard;
        with.thread_start = (const char *(*)(const char *, void (*)(void *), unsigned *))nothing;
        with.wait = (void (*)(enum pitot_channel, int (*)(void)))nothing;
        with.wake = (void (*)(enum pitot_channel))nothing;
        with.interrupted = (int (*)(enum pitot_interrupt))nothing;
        with.task_rename = (void (*)(const char *))nothing;
        with.task_find = (enum pitot_task(*)(unsigned))nothing;
        with.program_load = (const struct pitot_program *(*)(const char *, const char **))nothing;
        with.gdb_get = (int (*)(void))nothing;
        with.gdb_put = (void (*)(unsigned char))nothing;
    }
    return __real_pitot_init(&with);
}

void __wrap_record_end(void)
{
    const char *wrong;

    __real_record_end();
    wrong = pitot_check();
    say("check: ");
    say(wrong ? wrong : "nothing");
    say("\n");
}
