/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's part in waiting for gdb: the command `gdb`, and gdb=wait. */
#pragma once

/* Waits for gdb if the command line has gdb=wait. Boot, task context. */
void gdb_wait(void);
