/* SPDX-License-Identifier: BSD-2-Clause */
/* See proof_claims.h. The counts are in notes after the results. */
#include "tests/kernel/proof_claims.h"

#include "arch/cpu.h"
#include "core/lib/string.h"
#include "core/report/report.h"
#include "core/script/script.h"
#include "core/symbols/symbols.h"
#include "kernel/time/ticks.h"
#include "tests/kernel/ktap.h"
#include "tests/kernel/proof_shapes.h"
#include "tests/kernel/proof_visits.h"
#include "tests/kernel/proof_work.h"

typedef unsigned long long ull;

/* Polls, not time, which passes while the host does not run the machine. */
#define PATIENCE 40000000

static const char *const method_names[UNWIND_METHODS] = {
    [UNWIND_BY_TABLE] = "table", [UNWIND_BY_FRAME_POINTER] = "frame pointers"};

static void claim_steps(const struct proof *proof, const struct proof_plan *plan)
{
    ktap_ok(proof->steps > 0 && proof->steps >= plan->steps, "real work was stepped through");
    print("#   %llu instructions at %llu addresses, and %llu iterations of string instructions\n",
          (ull)proof->steps, (ull)visits_addresses(), (ull)proof->iterations);
    ktap_equal(proof->places, visits_places(),
               "... and checked at each address: in the thread, in traps, in traps upon them");
    print("#   which are %llu places\n", (ull)proof->places);
    print("#   %llu of them in trap entries, or in what interrupted one\n", (ull)proof->in_entries);
    print("#   behind a switch, on another thread's stack: %llu steps, %llu interrupts; not "
          "checked\n",
          (ull)proof->elsewhere, (ull)proof->interrupts_elsewhere);
    ktap_ok(proof->elsewhere < proof->steps / 1000, "... nearly all on the stack that is stepped");
}

static void claim_shadow(const struct proof *proof)
{
    const char *outermost = " kernel_main boot_entry_high";
    size_t length = strlen(proof->base), end = strlen(outermost);
    char place[80];

    ktap_ok(proof->base_is_called, "the chain above the stepper is one of calls, by their bytes");
    ktap_ok(length > end && strcmp(proof->base + length - end, outermost) == 0,
            "... from where the kernel begins");
    print("#   %s\n", proof->base);
    if (!ktap_equal(proof->shadow.broken, 0, "each return went where its call had come from"))
        print("#   the first that did not: %s\n",
              symbols_describe(proof->shadow.first_broken, place, sizeof(place)));
    ktap_equal(proof->shadow.escaped, SHAPES_ESCAPED * (uint64_t)work_shapes(),
               "... and only functions that do not return were left otherwise");
}

static void print_tally(const struct chain_tally *tally)
{
    print("#   %llu chains, %llu wrong; frames: %llu missing, %llu extra, %llu other\n",
          (ull)tally->checked, (ull)tally->wrong, (ull)tally->missing, (ull)tally->extra,
          (ull)tally->other);
    print("#   %llu chains by the iterator, %llu wrong\n", (ull)tally->iterated,
          (ull)tally->iterated_wrong);
    chain_print_places(tally);
}

static void claim_chains(const struct proof *proof, enum unwind_method method)
{
    const struct chain_tally *tally = &proof->tally[method];
    const char *name = method_names[method];

    if (!unwind_possible(method))
        return;
    ktap_ok(tally->checked > 0 && tally->wrong == 0, "by %s: each chain is right", name);
    ktap_ok(tally->missing + tally->extra + tally->other == 0,
            "by %s: no frame is missing, none is extra, none is another", name);
    ktap_ok(tally->iterated > 0 && tally->iterated_wrong == 0,
            "by %s: each chain of the iterator is right, and ends as outermost", name);
    print_tally(tally);
    if (method != UNWIND_BY_FRAME_POINTER)
        return;
    print("#   and where they cannot tell the caller, in trap entries above all:\n");
    print_tally(&proof->excused);
}

static void claim_interrupts(const struct proof *proof, const struct proof_plan *plan)
{
    ktap_ok(proof->raised > 0 && proof->interrupts == proof->raised,
            "each interrupt that was raised came, and was stepped through to its end");
    ktap_ok(proof->nmis > 0 && proof->nmis >= plan->nmis && proof->nmis_served == proof->nmis &&
                proof->not_stepped.wrong == 0,
            "NMIs came at chosen instructions");
    ktap_ok(proof->nmis_in_entries > 0, "... in trap entries");
    ktap_ok(proof->nmis_in_interrupts > proof->nmis_in_entries, "... in handlers of interrupts");
    ktap_ok(proof->exceptions > 0, "exceptions came");
    ktap_ok(proof->ticks_raised > 0, "ticks came");
    /* A stepped machine may report a breakpoint a second time, after an NMI at its instruction. */
    ktap_ok(proof->hits_in_ticks >= proof->ticks_raised &&
                proof->hits_in_ticks - proof->ticks_raised <= proof->nmis_at_watch,
            "... and a breakpoint in their handler was hit each time");
    ktap_ok(proof->nmis_in_step > 0 && proof->nmis_in_step_wrong == 0 && !proof->nmis_failed,
            "an NMI inside the debug trap: its chain leads through it into the stepped code");
    print("#   %llu interrupts, %llu exceptions\n", (ull)proof->interrupts, (ull)proof->exceptions);
    print("#   %llu NMIs, %llu stepped through; %llu in entries, %llu in handlers; and %llu in the "
          "debug trap\n",
          (ull)proof->nmis, (ull)proof->nmis_stepped, (ull)proof->nmis_in_entries,
          (ull)proof->nmis_in_interrupts, (ull)proof->nmis_in_step);
}

static struct symbol function_at(const void *function)
{
    struct symbol symbol = {.name = "?"};

    symbols_find_address((uintptr_t)function, &symbol);
    return symbol;
}

static bool stepped_from_end(const void *function, size_t back)
{
    struct symbol symbol = function_at(function);

    return visits_were_at(symbol.address) && visits_were_at(symbol.address + symbol.size - back);
}

/* Steps at each of these places were compared like the others; this claims that there were some. */
static void claim_places(const struct proof *proof, const struct proof_plan *plan)
{
    struct symbol caller = function_at(shape_never_returning_caller);
    const uint8_t *end = (const uint8_t *)caller.address + caller.size;

    ktap_ok(stepped_from_end(shape_leaf, 1), "a leaf was stepped through, from end to end");
    ktap_ok(stepped_from_end(shape_many_registers, 1), "... a long prologue and epilogue");
    ktap_ok(end[-5] == 0xe8 && stepped_from_end(shape_never_returning_caller, 5),
            "... a call that does not return, last in its function");
    ktap_ok(stepped_from_end(shape_tail_called, 1), "... a function entered by a jump");
    ktap_ok(stepped_from_end(shape_string, 1) && proof->iterations > 0,
            "... a string instruction, iteration by iteration");
    ktap_ok(stepped_from_end(shape_pushing, 1), "... assembly that moves the stack pointer");
    ktap_ok(stepped_from_end(shape_realigned_variable, 1), "... a realigned stack, and alloca");
    if (plan->work == work_all)
        ktap_ok(visits_were_at((uintptr_t)script_print_sample) &&
                    visits_were_at((uintptr_t)report_tree_child),
                "... what prints samples, and a report's call chains");
    ktap_ok(proof->longest > SHAPE_DEPTH, "... deep chains");
    print("#   the longest has %zu frames\n", proof->longest);
}

static void claim_restored(void)
{
    const uint64_t before = ticks;

    for (unsigned looks = 0; ticks == before && looks < PATIENCE; looks++)
        arch_relax();
    ktap_ok(ticks != before, "the timer ticks again");
}

const struct proof *proof_claim(const struct proof_plan *plan)
{
    const struct proof *proof;

    ktap_equal((uint64_t)work_prepare(), 0, "there is a recording, to be reported");
    proof = proof_run(plan);
    if (!ktap_ok(proof != NULL, "this machine can send itself interrupts"))
        return NULL;
    claim_steps(proof, plan);
    claim_shadow(proof);
    claim_chains(proof, UNWIND_BY_TABLE);
    claim_chains(proof, UNWIND_BY_FRAME_POINTER);
    claim_interrupts(proof, plan);
    claim_places(proof, plan);
    claim_restored();
    return proof;
}
