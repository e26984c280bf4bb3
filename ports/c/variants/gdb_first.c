/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sample kernel asks for gdb before it records, which would find the same CPUs missing. Linked
 * in front of record_begin (port.mk) for tests/boot/ports_gdb_cpus.t; in one kernel frameless_stand
 * takes the place of pitot_stand.
 */
#include "ports/c/kernel.h"

#include "pitot.h"

void __wrap_record_begin(const char *options);
void __real_record_begin(const char *options);
void __real_pitot_stand(void *frame);
void frameless_stand(void *frame);

void frameless_stand(void *frame)
{
    (void)frame;
    __real_pitot_stand(0);
}

void __wrap_record_begin(const char *options)
{
    const char *wrong = pitot_gdb_start();

    if (wrong) {
        say("refused: ");
        say(wrong);
        say("\n");
        stop_machine(3);
    }
    __real_record_begin(options);
}
