/* SPDX-License-Identifier: BSD-2-Clause */
/* The ports at which gdb can come in: COM3, if there is one, and the console's, lent. */
#pragma once

/* Finds them, and waits for gdb if the command line says so. Boot, task context, interrupts on. */
void gdb_door_init(void);
