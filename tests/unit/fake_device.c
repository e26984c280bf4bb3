/* SPDX-License-Identifier: BSD-2-Clause */
/* See fake_device.h. */
#define _GNU_SOURCE
#include "tests/unit/fake_device.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define SIZE        4096u
#define TRAP_FLAG   0x100
#define ERROR_WRITE 2 /* bit of a page fault's error code */
#define NO_OFFSET   SIZE

static struct fake_device device;
static uint8_t *registers;
static unsigned written = NO_OFFSET; /* where the access that is being stepped over writes */

static void protect(int protection)
{
    if (mprotect(registers, SIZE, protection) != 0)
        abort();
}

static void access_begins(int signal, siginfo_t *info, void *context)
{
    greg_t *saved = ((ucontext_t *)context)->uc_mcontext.gregs;
    uintptr_t offset = (uintptr_t)info->si_addr - (uintptr_t)registers;
    uint32_t value;

    (void)signal;
    if (offset >= SIZE || offset % sizeof(value) != 0)
        abort();
    protect(PROT_READ | PROT_WRITE);
    if (saved[REG_ERR] & ERROR_WRITE) {
        written = (unsigned)offset;
    } else {
        value = device.read((unsigned)offset);
        memcpy(registers + offset, &value, sizeof(value));
    }
    saved[REG_EFL] |= TRAP_FLAG;
}

static void access_ends(int signal, siginfo_t *info, void *context)
{
    uint32_t value;

    (void)signal;
    (void)info;
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    if (written != NO_OFFSET) {
        memcpy(&value, registers + written, sizeof(value));
        device.write(written, value);
        written = NO_OFFSET;
    }
    protect(PROT_NONE);
}

volatile void *fake_device_map(const struct fake_device *to)
{
    struct sigaction action = {.sa_sigaction = access_begins, .sa_flags = SA_SIGINFO};

    device = *to;
    if (!registers) {
        registers = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (registers == MAP_FAILED)
            abort();
    }
    sigaction(SIGSEGV, &action, NULL);
    action.sa_sigaction = access_ends;
    sigaction(SIGTRAP, &action, NULL);
    return registers;
}
