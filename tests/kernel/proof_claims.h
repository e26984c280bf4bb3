/* SPDX-License-Identifier: BSD-2-Clause */
/* What the proof claims of a run, as results of a suite. Task context. */
#pragma once

#include "tests/kernel/proof_step.h"

/* Steps through as much as the plan says. NULL: it could not; a claim says so. */
const struct proof *proof_claim(const struct proof_plan *plan);
