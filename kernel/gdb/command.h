/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel's own part in waiting for gdb: the command `gdb`, and gdb=wait. */
#pragma once

/* gdb=wait on the command line: does that. Boot, task context. */
void gdb_wait(void);
