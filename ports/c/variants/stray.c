/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Raises debug traps that are not Pitot's before the sample kernel's recording ends. Linked in
 * front of record_end (port.mk) for tests/boot/ports_c.t.
 */
#include "ports/c/kernel.h"

void __wrap_record_end(void);
void __real_record_end(void);

void __wrap_record_end(void)
{
    __asm__ volatile("pushfq; orq $0x100, (%rsp); popfq"); /* TF: each instruction traps */
    __real_record_end();
}
