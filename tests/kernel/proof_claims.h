/* SPDX-License-Identifier: BSD-2-Clause */
/* The proof's claims about a run, as results of a suite. Task context. */
#pragma once

#include "tests/kernel/proof_step.h"

/* Steps through as much as the plan requires. NULL: it failed, and so did a claim. */
const struct proof *proof_claim(const struct proof_plan *plan);
