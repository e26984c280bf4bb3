/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What TAB can make of a command line: commands, perf's subcommands and options, events and
 * their symbols. It knows the line only up to the cursor, and leaves words with quotes alone.
 * Task context.
 */
#pragma once

#include "kernel/console/line.h"

#define COMPLETE_LIST_MOST 40

extern const struct line_completer complete_words;
