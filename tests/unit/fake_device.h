/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device with 32-bit registers in memory, for unchanged drivers: each access is caught (SIGSEGV),
 * made by the test's functions in place of the device, and stepped over (EFLAGS.TF, SIGTRAP).
 * x86-64 Linux hosts.
 */
#pragma once

#include <stdint.h>

struct fake_device {
    uint32_t (*read)(unsigned offset);
    void (*write)(unsigned offset, uint32_t value);
};

/*
 * Its registers, 4 KiB; the device that was there before is gone. In each cmocka test anew: cmocka
 * takes faults as its own when a test begins.
 */
volatile void *fake_device_map(const struct fake_device *device);
