/* SPDX-License-Identifier: BSD-2-Clause */
/* The breakpoint source, mem:ADDR. Hits run in the debug trap, the rest in task context. */
#include <linux/hw_breakpoint.h>

#include "core/event/event.h"
#include "core/event/source_branches.h"
#include "core/host.h"
#include "core/lib/assert.h"
#include "core/lib/string.h"
#include "core/symbols/place.h"
#include "core/symbols/symbols.h"

#define LENGTH_MAX     32           /* bytes: four registers of eight */
#define LENGTH_EXECUTE sizeof(long) /* required by Linux, and sent by perf, for x */

/* --- Spelling; core/event/spec.h has the grammar. --- */

/* Where a port has not built the tables yet. */
static int refuse_for_kernel(const char *what, const char *name, struct refusal *why)
{
    if (own_kernel || symbols_count() > 0)
        return 0;
    return refuse(why, ENOENT,
                  "no %s \"%s\", as the tables are missing: pitot-tables makes them; 0x... needs "
                  "none",
                  what, name);
}

/* Reads "/PATH:", if present. */
static int place_read_program(struct spelling *cursor, struct event_spec *spec)
{
    const char *end = strchr(cursor->at, ':');
    char path[EVENT_NAME_SIZE]; /* large enough for the whole spelling */

    if (*cursor->at != '/' || spelling_is_digit(cursor->at[1]))
        return 0; /* a digit after the slash: a length without an address */
    if (!end)
        return refuse(cursor->why, EINVAL,
                      "\"%s\": a program's file must be followed by a colon and a place in it",
                      cursor->at);
    memcpy(path, cursor->at, (size_t)(end - cursor->at));
    path[end - cursor->at] = '\0';
    if (!host.program_load)
        return refuse(cursor->why, EINVAL,
                      "%s: this kernel runs no programs (program_load of struct pitot_kernel is 0)",
                      path);
    cursor->program = host_program(path, cursor->why);
    if (!cursor->program)
        return -ENOENT;
    spec->target.program = cursor->program;
    cursor->at = end + 1;
    return 0;
}

/* Copies the part up to the next slash or colon. The spelling fits into the name of an event. */
static size_t copy_part(const struct spelling *cursor, char part[EVENT_NAME_SIZE])
{
    size_t length = 0;

    for (; cursor->at[length] && !strchr("/:", cursor->at[length]); length++) {
        assert(length + 1 < EVENT_NAME_SIZE);
        part[length] = cursor->at[length];
    }
    part[length] = '\0';
    return length;
}

static int place_read_spelt(struct spelling *cursor, struct place *place)
{
    const struct pitot_program *program = cursor->program;
    const struct place_names names = {.table = program ? symbol_table_of(program->symbols) : NULL,
                                      .path = program ? program->path : NULL,
                                      .refuse = program ? NULL : refuse_for_kernel};
    char part[EVENT_NAME_SIZE];
    size_t length = copy_part(cursor, part);
    int error;

    if (spelling_word_length(cursor->at) == 0)
        return spelling_refuse_missing(cursor, "address");
    error = place_read(part, &names, place, cursor->why);
    cursor->at += error ? 0 : length;
    return error;
}

/* Reads "/LEN", up to `most` bytes; *length is 0 if there is none. */
static int place_read_spelt_length(struct spelling *cursor, uint64_t most, uint64_t *length)
{
    char part[EVENT_NAME_SIZE];
    size_t characters;
    int error;

    *length = 0;
    if (*cursor->at != '/')
        return 0;
    cursor->at++;
    characters = copy_part(cursor, part);
    if (characters == 0)
        return spelling_refuse_missing(cursor, "length");
    error = place_read_length(part, most, length, cursor->why);
    cursor->at += error ? 0 : characters;
    return error;
}

/* Reads the bits of ACCESS; stores read-write if it is absent. */
static int breakpoint_read_access(struct spelling *cursor, uint32_t *access)
{
    size_t length = *cursor->at == ':' ? spelling_word_length(cursor->at + 1) : 0;

    *access = place_access(cursor->at + 1, length);
    if (*access == 0) {
        *access = HW_BREAKPOINT_RW;
        return 0;
    }
    if (*access == HW_BREAKPOINT_R)
        return refuse(cursor->why, EINVAL,
                      "access \"r\": x86 has no read-only watchpoint; rw is the nearest");
    if ((*access & HW_BREAKPOINT_X) && *access != HW_BREAKPOINT_X)
        return refuse(cursor->why, EINVAL,
                      "access \"%.*s\": one register cannot watch x together with r or w",
                      (int)length, cursor->at + 1);
    cursor->at += 1 + length;
    return 0;
}

/* `given`: the LEN of the spelling; 0: none. */
static int choose_length(const struct place *place, uint64_t given, struct refusal *why,
                         struct perf_event_attr *attr)
{
    const struct symbol *symbol = &place->symbol;

    attr->bp_len = given;
    if (attr->bp_type == HW_BREAKPOINT_X) {
        if (given != 0 && given != 1 && given != LENGTH_EXECUTE)
            return refuse(why, EINVAL, "length %lu: for x give 1, or 8 as in perf, or none",
                          (unsigned long)given);
        attr->bp_len = LENGTH_EXECUTE;
    } else if (given == 0 && (!place->is_symbol || symbol->size == 0)) {
        attr->bp_len = PLACE_LENGTH;
    } else if (given == 0) {
        /* No instruction reads or writes a function as a whole. */
        attr->bp_len = symbol->kind == 't' || symbol->kind == 'T' ? 1 : symbol->size;
    }
    if (attr->bp_len > LENGTH_MAX)
        return refuse(
            why, EINVAL,
            "%s is %zu bytes long; the debug registers cover %d: give /LEN, for example mem:%s/8",
            symbol->name, symbol->size, LENGTH_MAX, symbol->name);
    return 0;
}

/* Reads what follows "mem:". */
static int breakpoint_read_mem(struct spelling *cursor, struct event_spec *spec)
{
    struct perf_event_attr *attr = &spec->attr;
    struct place place = {.address = 0};
    uint64_t length = 0;

    int error = place_read_program(cursor, spec);
    if (!error)
        error = place_read_spelt(cursor, &place);
    if (!error)
        error = place_read_spelt_length(cursor, LENGTH_MAX, &length);
    if (!error)
        error = breakpoint_read_access(cursor, &attr->bp_type);
    if (!error)
        error = spelling_modifiers(cursor, "neither an access (rw, w, x) nor a modifier after one",
                                   attr);
    attr->bp_addr = place.address;
    return error ? error : choose_length(&place, length, cursor->why, attr);
}

static int breakpoint_parse(const char *spelling, struct event_spec *spec, struct refusal *why)
{
    struct spelling cursor = {spelling, why, NULL};
    struct place place = {.address = 0};
    int error;

    spec->attr.type = PERF_TYPE_BREAKPOINT;
    if (spelling_skip(&cursor, "mem:"))
        return breakpoint_read_mem(&cursor, spec);
    if (!spelling_skip(&cursor, "5:"))
        return EVENT_IS_ANOTHERS;
    error = place_read_spelt(&cursor, &place);
    spec->attr.bp_addr = place.address;
    spec->attr.bp_type = HW_BREAKPOINT_RW;
    spec->attr.bp_len = HW_BREAKPOINT_LEN_1;
    return error ? error : spelling_end(&cursor);
}

/* --- Hits. --- */

static struct event *event_of_breakpoint(struct breakpoint *breakpoint)
{
    return (struct event *)((char *)breakpoint - offsetof(struct event, breakpoint));
}

static void event_breakpoint_hit(struct breakpoint *breakpoint, uintptr_t address,
                                 struct regs *regs)
{
    event_hit_meant(event_of_breakpoint(breakpoint), address, regs);
}

static void event_breakpoint_hit_filtered(struct breakpoint *breakpoint, uintptr_t address,
                                          struct regs *regs)
{
    event_hit(event_of_breakpoint(breakpoint), address, regs);
}

static void event_breakpoint_hit_aggregated(struct breakpoint *breakpoint, uintptr_t address,
                                            struct regs *regs)
{
    struct event *event = event_of_breakpoint(breakpoint);
    unsigned cpu = arch_cpu_id();
    uint64_t time;

    if (event->filtered && !event_matches(event, regs, task_ids[cpu], cpu))
        return;
    time = aggregate_add(&event->aggregate, &(struct aggregate_hit){.regs = regs, .cpu = cpu});
    if (event->aggregate.plan.role == AGGREGATE_ENDS)
        event_hit_for(event, address, regs, time);
    else
        event_hit_meant(event, address, regs);
}

/* Opens the window of `branches`; the event's own sample precedes those of the branches. */
static void event_breakpoint_hit_start(struct breakpoint *breakpoint, uintptr_t address,
                                       struct regs *regs)
{
    event_breakpoint_hit_filtered(breakpoint, address, regs);
    branches_open(regs);
}

/* Decided once here, so that no hit has to. */
static breakpoint_hit *choose_hit(const struct event *event)
{
    if (aggregate_is_wanted(&event->aggregate.plan))
        return event_breakpoint_hit_aggregated;
    if (event->spec.start)
        return event_breakpoint_hit_start;
    return event->filtered ? event_breakpoint_hit_filtered : event_breakpoint_hit;
}

static int breakpoint_enable(struct event *event, struct refusal *why)
{
    const struct perf_event_attr *attr = &event->recorded.attr;
    enum arch_access access = attr->bp_type == HW_BREAKPOINT_X   ? ARCH_EXECUTE
                              : attr->bp_type == HW_BREAKPOINT_W ? ARCH_WRITE
                                                                 : ARCH_READ_WRITE;

    /* perf gives an execute breakpoint length 8; its register takes 1. */
    event->breakpoint = (struct breakpoint){.address = attr->bp_addr,
                                            .length = access == ARCH_EXECUTE ? 1 : attr->bp_len,
                                            .access = access,
                                            .target = event->spec.target,
                                            .hit = choose_hit(event)};
    print_into(event->breakpoint.owner, sizeof(event->breakpoint.owner), "perf %s",
               event->recorded.name);
    return breakpoint_install(&event->breakpoint, why);
}

static void breakpoint_disable(struct event *event)
{
    breakpoint_remove(&event->breakpoint);
}

static void breakpoint_begin(struct event *event)
{
    event->breakpoint.doubtful = 0;
}

static void breakpoint_describe(struct sink *sink)
{
    print_to(sink, "  mem:ADDR[/LEN][:ACCESS]%-28s[Hardware breakpoint]\n",
             own_kernel ? "[:k]" : "");
    if (symbols_count())
        print_to(sink,
                 "      ADDR    0x..., a symbol, symbol+offset, or symbol-offset: %zu symbols%s\n",
                 symbols_count(), own_kernel ? ", TAB completes" : "");
    else
        print_to(sink, "      ADDR    0x...; symbols when pitot-tables has made the tables\n");
    print_to(
        sink,
        "      LEN     bytes: 1 to 32, more than 8 spread over several registers;\n"
        "              default the symbol's size\n"
        "      ACCESS  w, rw, or x\n"
        "      several on the same bytes share a register; if the owner of a hit cannot be\n"
        "      determined, `perf stat` and `perf record` say \"not exact\", and by how many\n");
    if (own_kernel)
        print_to(sink,
                 "      what a hit did to the bytes, and which instruction: breakpoint:hit\n");
    if (host.program_load && host.process_watchable)
        print_to(
            sink,
            "  mem:/PROGRAM:ADDR[/LEN][:ACCESS][:u]               the same in a program, by its "
            "symbols\n");
    print_to(sink, "  5:ADDR      the same, rw and one byte\n\n");
}

const struct event_source breakpoint_source = {
    .spelt = "mem:[/PROGRAM:]ADDR[/LEN][:rw|w|x][:u|:k] or 5:ADDR",
    .spelt_embedded = "mem:[/PROGRAM:]ADDR[/LEN][:rw|w|x] or 5:ADDR",
    .name = "mem:",
    .describe = breakpoint_describe,
    .parse = breakpoint_parse,
    .enable = breakpoint_enable,
    .disable = breakpoint_disable,
    .begin = breakpoint_begin,
    .watches = true,
    .hertz_max = PACE_HERTZ_MAX,
};
