/* SPDX-License-Identifier: BSD-2-Clause */
/* NMIs of the debugger's serial line, on the boot CPU. */
#pragma once

#include <stdbool.h>

/* Called when a debugger attaches, and when it leaves. With all other CPUs parked. */
void stop_line_attach(bool attach);
