/* SPDX-License-Identifier: BSD-2-Clause */
/* What call chains ask of processes (core/unwind/user.h): their memory, their functions. */
#pragma once

/* Boot. */
void process_code_init(void);
