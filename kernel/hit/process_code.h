/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory and functions of processes, for call chains (core/unwind/user.h). */
#pragma once

/* Boot. */
void process_code_init(void);
