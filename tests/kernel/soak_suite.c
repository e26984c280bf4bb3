/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All CPUs write at full rate, interrupted by interrupts and NMIs that write as well, and readers
 * on other CPUs check every byte, in both modes of the ring. Afterwards the counts must balance
 * exactly. docs/ring.md, "Under load". Task context of the boot thread; needs several CPUs.
 */
#include <linux/errno.h>

#include "arch/cpu.h"
#include "core/lib/cpus.h"
#include "core/lib/string.h"
#include "tests/kernel/ktap.h"
#include "tests/kernel/soak_work.h"
#include "tests/unit/ring_check.h"

#define MEGABYTE        (1ull << 20)
#define MEGABYTES_SHORT 8

static uint64_t megabytes; /* to be checked in each mode */
static uint64_t checked;   /* bytes in total */

struct sums {
    uint64_t bytes, records[SOAK_LEVELS], upon[SOAK_LEVELS], lost, faults;
};

static void add(struct sums *sums, const struct soak_lane *lane)
{
    sums->bytes += lane->bytes;
    sums->faults += lane->faults;
    sums->lost += lane->ring.mode == RING_NORMAL ? lane->ring.dropped : lane->reader.skipped;
    for (unsigned level = 0; level < SOAK_LEVELS; level++) {
        sums->records[level] += lane->records[level];
        sums->upon[level] += lane->upon[level];
    }
}

static uint64_t all_levels(const uint64_t *counts)
{
    uint64_t sum = 0;

    for (unsigned level = 0; level < SOAK_LEVELS; level++)
        sum += counts[level];
    return sum;
}

/* NULL, or which counts do not add up. */
static const char *account_fault(const struct soak_lane *lane)
{
    const struct ring *ring = &lane->ring;
    uint64_t read = all_levels(lane->records);

    if (all_levels(lane->written) != ring->produced)
        return "produced is not what was written";
    if (lane->bytes + lane->reader.skipped != ring->head)
        return "bytes read and skipped are not all there were";
    if (ring->mode == RING_OVERWRITE)
        return ring_fault(ring, 0);
    if (lane->reader.skipped != 0 || read + ring->dropped != ring->produced)
        return "produced is not read and dropped";
    return ring_fault(ring, read);
}

static void show_faults(void)
{
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        const struct soak_lane *lane = soak_lane(cpu);

        if (lane->faults)
            print("#   CPU %u, %lu records, the first at %lu: %s\n", cpu,
                  (unsigned long)lane->faults, (unsigned long)lane->at, lane->fault);
        else if (account_fault(lane))
            print("#   CPU %u: %s\n", cpu, account_fault(lane));
    }
}

static void claim_mode(enum ring_mode mode)
{
    const char *name = mode == RING_NORMAL ? "normal" : "overwrite";
    const char *losses = mode == RING_NORMAL ? "records dropped" : "bytes taken over unread";
    struct sums sums = {0};
    unsigned wrong = 0;

    if (!ktap_ok(soak_run(mode, megabytes * MEGABYTE), "%s: there is memory", name))
        return;
    for (unsigned cpu = 0; cpu < arch_cpus(); cpu++) {
        add(&sums, soak_lane(cpu));
        wrong += account_fault(soak_lane(cpu)) != NULL;
    }
    ktap_ok(sums.faults == 0 && sums.bytes >= megabytes * MEGABYTE,
            "%s: every byte that was read is right (%lu bytes)", name, (unsigned long)sums.bytes);
    ktap_equal(wrong, 0, "%s: what was written is what was read and what was counted as lost",
               name);
    /* In overwrite mode all of theirs may have been overwritten before they were read. */
    ktap_ok(sums.upon[SOAK_NMI] > 0 && sums.upon[SOAK_INTERRUPT] > 0 &&
                (mode == RING_OVERWRITE ||
                 (sums.records[SOAK_NMI] > 0 && sums.records[SOAK_INTERRUPT] > 0)),
            "%s: NMIs and interrupts wrote (%lu and %lu read)", name,
            (unsigned long)sums.records[SOAK_NMI], (unsigned long)sums.records[SOAK_INTERRUPT]);
    ktap_ok(sums.lost > 0, "%s: the reader was too slow at times (%lu %s)", name,
            (unsigned long)sums.lost, losses);
    print("#   %lu records; upon an unfinished one came %lu of NMIs and %lu of interrupts\n",
          (unsigned long)all_levels(sums.records), (unsigned long)sums.upon[SOAK_NMI],
          (unsigned long)sums.upon[SOAK_INTERRUPT]);
    show_faults();
    checked += sums.bytes;
    soak_release();
}

static void soak_claims(void)
{
    checked = 0;
    if (!ktap_ok(cpus_running() > 1 && cpus_running() == arch_cpus(), "all CPUs run: %u",
                 cpus_running()))
        return;
    claim_mode(RING_NORMAL);
    claim_mode(RING_OVERWRITE);
    print("# %lu bytes checked in all\n", (unsigned long)checked);
}

/* A decimal number from 1, of at most seven digits; 0 for anything else. */
static uint64_t parse_number(const char *text)
{
    uint64_t number = 0;

    for (; *text; text++) {
        if (*text < '0' || *text > '9' || number > 999999)
            return 0;
        number = number * 10 + (uint64_t)(*text - '0');
    }
    return number;
}

static int ktap_command_soak(int argc, char **argv)
{
    megabytes = argc == 1 ? MEGABYTES_SHORT : argc == 2 ? parse_number(argv[1]) : 0;
    if (megabytes == 0) {
        print("ktap-soak: the number of MiB to be checked in each mode, or nothing for %u\n",
              MEGABYTES_SHORT);
        return -EINVAL;
    }
    return ktap_run(soak_claims);
}

PITOT_COMMAND_AS(ktap_soak, "ktap-soak", "[MEGABYTES]",
                 "all CPUs write at full rate, others read and check every byte", ktap_command_soak,
                 0);
