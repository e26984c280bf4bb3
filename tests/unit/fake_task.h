/* SPDX-License-Identifier: BSD-2-Clause */
/* The one task of tests/unit/fake_task.c. */
#pragma once

void fake_task_rename(const char *name);
