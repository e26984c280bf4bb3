/* SPDX-License-Identifier: BSD-2-Clause */
/* Sleeping until something is typed. Task context, the console's task alone. */
#pragma once

/* Once, before input comes: sleepers hear of it. */
void input_wait_init(void);

/* Until input_pending. */
void input_wait(void);
