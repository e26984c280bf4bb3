/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The name of a task by its tid, for readers of recordings. Safe in crash paths: never NULL, ":TID"
 * is up to the caller where the name is empty. The kernel's answer is
 * core/recording/tasks.c's, a test's its own.
 */
#pragma once

#include <stdint.h>

const char *comm_of(uint32_t tid);
