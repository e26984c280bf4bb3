/* SPDX-License-Identifier: BSD-2-Clause */
/* What the proof claims of a run, as results of a suite. Task context. */
#pragma once

#include "tests/kernel/proof_step.h"

/* Steps through `work` for `steps` instructions or more. NULL: it could not; a claim says so. */
const struct proof *proof_claim(void (*work)(void), uint64_t steps);
