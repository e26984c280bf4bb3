/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The ports at which gdb can attach: COM3, if there is one, and the console's port, which is lent
 * to it.
 */
#pragma once

/*
 * Finds the ports, and waits for gdb if the command line asks for that. Boot, task context,
 * interrupts on.
 */
void gdb_door_init(void);
