/* SPDX-License-Identifier: BSD-2-Clause */
/* From the boot loader's module to /bin. Boot, when the file system and threads are there. */
#pragma once

#include "boot/information.h"

/* Says what is wrong, where something is; programs are then missing. */
void programs_init(const struct boot_information *information);
