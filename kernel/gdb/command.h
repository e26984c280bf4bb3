/* SPDX-License-Identifier: BSD-2-Clause */
/* The command `gdb`, and gdb=wait on the kernel's command line, which wait for gdb. */
#pragma once

/* Waits for gdb if the command line has gdb=wait. Boot, task context. */
void gdb_wait(void);
