/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device with 32-bit registers in memory, for unmodified drivers: each access is caught
 * (SIGSEGV), performed by the test's functions, and stepped over (EFLAGS.TF, SIGTRAP). x86-64 Linux
 * hosts.
 */
#pragma once

#include <stdint.h>

struct fake_device {
    uint32_t (*read)(unsigned offset);
    void (*write)(unsigned offset, uint32_t value);
};

/*
 * Maps its registers, 4 KiB, in place of the previous device. Call it in each cmocka test: cmocka
 * installs its own fault handlers when a test begins.
 */
volatile void *fake_device_map(const struct fake_device *device);
