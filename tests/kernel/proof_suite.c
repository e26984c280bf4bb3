/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The proof: ten million instructions of real work, single-stepped, with the chain checked at each
 * of them (docs/proof.md). tests/boot/proof.t runs it; Bochs would take too long, and has the
 * short form in unwind_suite.c.
 */
#include "tests/kernel/ktap.h"
#include "tests/kernel/proof_claims.h"
#include "tests/kernel/proof_work.h"

static void proof_claims(void)
{
    const struct proof *proof = proof_claim(work_all, 10000000);

    if (proof)
        ktap_equal(proof->nmis_stepped, proof->nmis, "NMIs were stepped through as well");
}

KTAP_SUITE(proof, "call chains at ten million instructions");
