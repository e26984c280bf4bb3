/* SPDX-License-Identifier: BSD-2-Clause */
/* See options.h. Called by core/command/perf.c; task context. */
#include "core/script/options.h"

#include "core/lib/string.h"
#include "core/report/options.h"

static int set_fields(void *at, const char *typed, char *value, struct refusal *why)
{
    if (strcmp(value + (value[0] == '+'), "iregs") != 0)
        return refuse(why, EINVAL, "\"%s %s\" is not possible; -F iregs and -F +iregs are", typed,
                      value);
    *(bool *)at = true;
    return 0;
}

#define AT(member) OPTION_AT(struct script_options, member)

static const char *const fields[] = {"+iregs", "iregs", NULL};

static const struct option rows[] = {
    OPTION({"-F", "--fields"}, "iregs", 0, OPTION_WORD, "the registers, too", .words = fields,
           .set = set_fields, AT(registers)),
    OPTION({"--max-stack"}, "N", 0, OPTION_NUMBER,
           "so many addresses of each chain, from the hit on", CHAIN_DEPTH, AT(max_stack)),
    OPTION({"--max-events"}, "N", 0, OPTION_NUMBER, "the first N samples", .least = 1,
           AT(max_events)),
    OPTION({"--last-boot"}, NULL, 0, OPTION_FLAG,
           "the last boot's recording, which a reset has left in memory", AT(last_boot)),
    {.names = {NULL}},
};

const struct options script_options = {
    .name = "script",
    .usage = "[OPTION]...",
    .summary = "each sample of the last recording",
    .row = rows,
};

int script_options_parse(int argc, char **argv, struct script_options *options, struct refusal *why)
{
    int taken;

    *options = (struct script_options){.registers = false};
    taken = options_parse(&script_options, argc, argv, options, why);
    return taken < 0 ? taken : 0;
}
