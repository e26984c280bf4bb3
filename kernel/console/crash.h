/* SPDX-License-Identifier: BSD-2-Clause */
/* The ways in which `crash HOW` can bring the machine down, by name. Any context. */
#pragma once

#define CRASHES_MAX 32

/* The index-th HOW, as `crash` lists them; NULL past the end. */
const char *crash_how(unsigned index);
