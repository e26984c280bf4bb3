/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A device with registers of 32 bits in memory: each access of the driver's code as it stands is
 * caught (SIGSEGV), made with the test's functions in the device's place, and stepped over
 * (EFLAGS.TF, SIGTRAP). x86-64 Linux hosts.
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
