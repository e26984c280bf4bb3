/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `make bench`: what a frame costs on this machine, with this kernel's unwinder and with others, on
 * the same stacks in the same run. docs/bench.md explains how it is measured and how to read it.
 * Status 0: measured; 1: a method finds a wrong chain, or a table cannot be used.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/personality.h>
#include <unistd.h>

#include "core/lib/refusal.h"
#include "core/unwind/unwind.h"
#include "tests/bench/unwind/measure.h"

const unsigned depths[DEPTHS] = {8, 16, 32, 64};

const struct method *const methods[] = {
    &method_unchecked,   &method_checked,      &method_pitot_fp,    &method_pitot,
    &method_pitot_dense, &method_pitot_framed, &method_sorted_rows, &method_unw_backtrace,
    &method_libgcc,      &method_unw_step,
};

#define METHODS (sizeof(methods) / sizeof(methods[0]))

const size_t method_count = METHODS;

/*
 * Upper limits: this multiple of a frame pointer walk's ns per frame, and this many instructions.
 */
#define TARGET_RATIO        5.0
#define TARGET_INSTRUCTIONS 60.0

/* The cost of a frame: the slope between the shortest chain and the longest. */
static double slope(double shortest, double longest)
{
    return (longest - shortest) / (depths[DEPTHS - 1] - depths[0]);
}

static double ns_per_frame(const struct figures *figures)
{
    return slope(figures->least[0], figures->least[DEPTHS - 1]);
}

static double instructions_per_frame(const struct figures *figures)
{
    return slope((double)figures->instructions[0], (double)figures->instructions[DEPTHS - 1]);
}

static void print_figures(const struct method *method, const struct figures *figures,
                          const struct figures *baseline)
{
    printf("%-28s", method->name);
    if (method->missing) {
        printf(" not measured: %s\n", method->missing);
        return;
    }
    for (unsigned i = 0; i < DEPTHS; i++)
        printf(" %7.0f", figures->least[i]);
    printf(" %7.1f %7.1f %7.1f", ns_per_frame(figures),
           slope(figures->median[0], figures->median[DEPTHS - 1]),
           ns_per_frame(figures) / ns_per_frame(baseline));
    if (figures->instructions[0])
        printf(" %7.0f %8llu", instructions_per_frame(figures),
               (unsigned long long)figures->instructions[DEPTH_16]);
    else
        printf(" %16s", "not counted");
    printf(" %7.0f\n", figures->cold);
}

static void print_all(const struct figures *figures)
{
    const struct figures *baseline = figures, *ours = figures;

    for (size_t i = 0; i < METHODS; i++) {
        if (methods[i] == &method_checked)
            baseline = &figures[i];
        if (methods[i] == &method_pitot)
            ours = &figures[i];
    }
    printf("%-28s %31s %23s %16s %7s\n", "", "ns an unwind, warm, at depth", "ns a frame, warm",
           "instructions", "cold");
    printf("%-28s %7u %7u %7u %7u %7s %7s %7s %7s %8s %7s\n", "", depths[0], depths[1], depths[2],
           depths[3], "least", "median", "ratio", "a frame", "at 16", "ns, 16");
    for (size_t i = 0; i < METHODS; i++)
        print_figures(methods[i], &figures[i], baseline);
    printf("\n%-28s ns a frame / \"" METHOD_BASELINE "\": %.1f, aim %.1f; instructions a frame: "
           "%.0f, aim %.0f\n",
           "Pitot, table:", ns_per_frame(ours) / ns_per_frame(baseline), TARGET_RATIO,
           instructions_per_frame(ours), TARGET_INSTRUCTIONS);
}

static bool measure(struct figures *figures)
{
    for (size_t i = 0; i < METHODS; i++)
        for (unsigned d = 0; d < DEPTHS && !methods[i]->missing; d++) {
            if (!check_method(methods[i], depths[d]))
                return false;
            figures[i].instructions[d] = steps_count(methods[i], depths[d]);
        }
    for (unsigned d = 0; d < DEPTHS; d++)
        if (!time_methods(figures, d))
            return false;
    return time_cold(figures);
}

/*
 * Makes addresses independent of randomization and the caller's environment: libunwind's cache is
 * hashed by address, so its counts depend on them.
 */
static void run_at_fixed_addresses(void)
{
    char name[] = "unwind", *arguments[] = {name, NULL}, *environment[] = {NULL};
    int now = personality(0xffffffff);

    if (now >= 0 && !(now & ADDR_NO_RANDOMIZE) &&
        personality((unsigned long)now | ADDR_NO_RANDOMIZE) >= 0)
        execve("/proc/self/exe", arguments, environment);
}

int main(void)
{
    static struct figures figures[METHODS];
    struct refusal why = {""};

    run_at_fixed_addresses();
    if (!bench_stack_init() || unwind_init(&why) || !bench_sorted_rows_init()) {
        fprintf(stderr, "the chains' unwind table cannot be used: %s\n", why.text);
        return 1;
    }
    if (!measure(figures))
        return 1;
    print_all(figures);
    return 0;
}
