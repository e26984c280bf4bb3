/* SPDX-License-Identifier: BSD-2-Clause */
/* TAB: what pitot_complete offers, as the line editor shows it. The console's thread only. */
#pragma once

#include "kernel/console/line.h"

#define COMPLETE_LIST_MOST 40

extern const struct line_completer complete_words;
