/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a loader tells that enters by the PVH note: QEMU's -kernel, and other monitors of virtual
 * machines. Source: Xen, xen/include/public/arch-x86/hvm/start_info.h; docs/misc/pvh.pandoc has the
 * state of the CPU at the entry (boot/pvh.asm).
 */
#pragma once

#include "boot/information.h"

#define PVH_MAGIC 0x336ec578 /* "xEn3", bit 7 of E set: the first word of the information */

/*
 * No address or length in it is believed before `reach` has confirmed it. What is missing or out of
 * reach is left empty in `out`. NULL, or why the loader's information cannot be used at all.
 */
const char *pvh_read(uint32_t physical, acpi_reach *reach, struct boot_information *out);
