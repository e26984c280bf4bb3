/* SPDX-License-Identifier: BSD-2-Clause */
/* TAB completion of a command line: commands, perf's options, events, symbols. Task context. */
#pragma once

#include "kernel/console/line.h"

#define COMPLETE_LIST_MOST 40

extern const struct line_completer complete_words;
