/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the information of a loader that enters by the PVH note: QEMU's -kernel, and other virtual
 * machine monitors. Source: Xen, xen/include/public/arch-x86/hvm/start_info.h; docs/misc/pvh.pandoc
 * has the state of the CPU at the entry (boot/pvh.asm).
 */
#pragma once

#include "boot/information.h"

#define PVH_MAGIC 0x336ec578 /* "xEn3" with bit 7 of E set: the first word of the information */

/*
 * Trusts no address or length before `reach` has confirmed it. Fields of `out` stay empty if their
 * source is missing or out of reach. Returns NULL, or why the loader's information cannot be used
 * at all.
 */
const char *pvh_read(uint32_t physical, acpi_reach *reach, struct boot_information *out);
