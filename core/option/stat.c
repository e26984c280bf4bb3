/* SPDX-License-Identifier: BSD-2-Clause */
/* See stat.h. */
#include "core/option/stat.h"

#include "core/lib/deviation.h"
#include "core/lib/string.h"
#include "core/lib/words.h"

static bool is_repeat(const char *option)
{
    return strcmp(option, "-r") == 0 || strcmp(option, "--repeat") == 0;
}

static bool is_interval(const char *option)
{
    return strcmp(option, "-I") == 0 || strcmp(option, "--interval-print") == 0;
}

bool stat_option_is(const char *option)
{
    return is_repeat(option) || is_interval(option);
}

int stat_option_parse(struct stat_options *options, const char *option, const char *value,
                      struct refusal *why)
{
    uint32_t number = 0;
    bool read = words_number(value, &number);

    if (is_repeat(option)) {
        options->runs = number;
        if (read && number > 0 && number <= DEVIATION_RUNS_MAX)
            return 0;
        return refuse(why, EINVAL, "%s \"%s\": 1 to %d runs are possible", option, value,
                      DEVIATION_RUNS_MAX);
    }
    options->interval_ms = number;
    if (read && number >= STAT_INTERVAL_MIN_MS)
        return 0;
    return refuse(why, EINVAL, "%s \"%s\": whole milliseconds from %d, the tick, are possible",
                  option, value, STAT_INTERVAL_MIN_MS);
}

int stat_options_check(const struct stat_options *options, bool workload, bool tallied,
                       struct refusal *why)
{
    if (tallied && (options->runs || options->interval_ms))
        return refuse(why, EINVAL,
                      "%s: of counts alone; --by and --hist tell of one run, when it has ended",
                      options->runs ? "-r" : "-I");
    if (options->runs && options->interval_ms)
        return refuse(why, EINVAL,
                      "-r and -I exclude each other: the means of whole runs, or the counts of "
                      "each interval of one");
    if (options->runs && !workload)
        return refuse(why, EINVAL, "-r: what is to be run so often? -- COMMAND");
    return 0;
}
