/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The proof: real work, single-stepped, with the chain checked at each instruction (docs/proof.md).
 * tests/boot/proof.t runs it; it would take too long on Bochs, which runs the short form in
 * unwind_suite.c.
 */
#include <linux/errno.h>

#include "core/lib/string.h"
#include "tests/kernel/ktap.h"
#include "tests/kernel/proof_claims.h"
#include "tests/kernel/proof_work.h"

/* The work once: checked at the first visits of each place, with one NMI at each place. */
static const struct proof_plan once = {.work = work_all, .nmis = PROOF_NMI_PLACES, .gap = 16384};
/* The work repeatedly, checked at each step. */
static const struct proof_plan soak = {
    .work = work_all, .steps = 10000000, .nmis = 5 * PROOF_NMI_PLACES, .gap = 4096, .each = true};

static const struct proof_plan *chosen;

static void proof_claims(void)
{
    const struct proof *proof = proof_claim(chosen);

    if (proof)
        ktap_equal(proof->nmis_stepped, proof->nmis, "NMIs were stepped through as well");
}

static int ktap_command_proof(int argc, char **argv)
{
    chosen = argc == 1 ? &once : &soak;
    if (argc > 2 || (argc == 2 && strcmp(argv[1], "soak") != 0)) {
        print("ktap-proof: soak, or nothing for the work once\n");
        return -EINVAL;
    }
    return ktap_run(proof_claims);
}

PITOT_COMMAND_AS(ktap_proof, "ktap-proof", "[soak]", "call chains at each instruction of real work",
                 ktap_command_proof, 0);
