/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The name of a task by its tid, for readers of recordings. Safe in crash paths: never NULL; if the
 * name is empty, the caller prints ":TID". The kernel links core/recording/last.c; tests provide
 * their own function.
 */
#pragma once

#include <stdint.h>

const char *comm_of(uint32_t tid);
