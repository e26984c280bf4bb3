/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of the crashes that `crash HOW` can cause. Any context. */
#pragma once

#define CRASHES_MAX 32

/* Returns the index-th HOW, in the order in which `crash` lists them; NULL past the end. */
const char *crash_how(unsigned index);
