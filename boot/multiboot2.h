/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the information of a Multiboot2 loader (GRUB). Source: Multiboot2 Specification 2.0, "Boot
 * information format".
 */
#pragma once

#include "boot/information.h"

#define MULTIBOOT2_BOOTLOADER_MAGIC 0x36d76289

void multiboot2_read(uint32_t physical, struct boot_information *out);
