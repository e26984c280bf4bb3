/* SPDX-License-Identifier: BSD-2-Clause */
/* Unpacks the boot loader's module into /bin. Boot, once the file system and threads are there. */
#pragma once

#include "boot/information.h"

/* Prints what is wrong, if anything is; programs are then missing. */
void programs_init(const struct boot_information *information);
