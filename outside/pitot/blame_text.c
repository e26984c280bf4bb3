/* SPDX-License-Identifier: BSD-2-Clause */
/* See blame.h. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

#include "outside/pitot/blame.h"
#include "outside/pitot/contexts.h"
#include "outside/pitot/name.h"
#include "outside/pitot/question.h"

#define SECOND_NS      1000000000u
#define VECTOR_UNKNOWN 257

static FILE *out;
static uint64_t clocks[WRITES_CPUS], lost_writes;
static const char *kernel_name;

int blame_clock(const struct wire_number *clock, struct refusal *why)
{
    if (clock->head.cpu >= WRITES_CPUS)
        return refuse(why, EINVAL, "the plugin's CPU %u is invalid", clock->head.cpu);
    clocks[clock->head.cpu] = clock->number;
    return 0;
}

static bool has_same_writers(const struct group *a, const struct group *b)
{
    if (a->count != b->count || a->mapped != b->mapped || !a->held != !b->held)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct wire_word *left = &a->writes[i].word, *right = &b->writes[i].word;

        if (left->ip != right->ip || left->context != right->context ||
            left->thread != right->thread || left->head.cpu != right->head.cpu ||
            left->count != right->count || left->interrupt != right->interrupt ||
            left->address - left->physical + a->shift !=
                right->address - right->physical + b->shift ||
            !writes_whole(a, left) || !writes_whole(b, right))
            return false;
    }
    return true;
}

static void print_bytes(const struct blamed_place *place, uint64_t first, uint64_t last)
{
    if (first == last)
        fprintf(out, "byte %" PRIu64, first - place->address);
    else
        fprintf(out, "bytes %" PRIu64 "-%" PRIu64, first - place->address, last - place->address);
}

/* `code`: an address in the instruction that the line is about. */
static void print_function(FILE *file, uint64_t address, uint64_t code)
{
    char name[NAME_ROOM];

    if (address == NAME_NOT_KNOWN) {
        fprintf(file, "\t%16s %s\n", "", name_place(address, name));
        return;
    }
    question_place(code);
    fprintf(file, "\t%16" PRIx64 " %s\n", address, name_place(address, name));
}

static void print_caller(FILE *file, uint32_t context)
{
    print_function(file, contexts_caller(context), contexts_code(context));
}

static void print_chain(const struct wire_word *write)
{
    print_function(out, write->ip, write->ip);
    chain_print(out, write->context, "\t", print_caller);
}

static void print_interrupt(uint32_t interrupt)
{
    if (interrupt == VECTOR_UNKNOWN)
        fprintf(out, "the CPU's frame of an interrupt, ");
    else
        fprintf(out, "the CPU's frame of interrupt %u, ", interrupt - 1);
}

static void print_write(const struct blamed_place *place, const struct group *group,
                        const struct wire_word *write)
{
    uint64_t address = write->physical - group->shift; /* by which it was asked for */

    fprintf(out, "%16s %7u [%03u] %5" PRIu64 ".%09" PRIu64 ": ",
            write->thread ? threads_name(write->thread) : kernel_name, write->thread + KERNEL_TID,
            write->head.cpu, write->time / SECOND_NS, write->time % SECOND_NS);
    if (write->count > 1)
        fprintf(out, "%" PRIu64 " times in a row, ", write->count);
    if (write->interrupt)
        print_interrupt(write->interrupt);
    if (!writes_whole(group, write)) {
        print_bytes(place, address, address + write->length - 1);
        fprintf(out, ", ");
    }
    if (write->address == UINT64_MAX)
        fprintf(out, "through another address, ");
    else if (write->address != address)
        fprintf(out, "through 0x%" PRIx64 ", ", write->address);
    if (write->valued && group->last == group->word_last)
        fprintf(out, "value 0x%" PRIx64 ", ", write->value);
    fprintf(out, "%" PRIu64 " instructions ago\n", clocks[write->head.cpu] - write->time);
    print_chain(write);
}

static bool has_several_cpus(void)
{
    unsigned count = 0;

    for (unsigned cpu = 0; cpu < WRITES_CPUS; cpu++)
        count += clocks[cpu] > 0;
    return count > 1;
}

/* Memory differs from what the last write has left, or was not written and is not 0. */
static void print_held(const struct group *group)
{
    if (group->last == group->word_last)
        fprintf(out, "    memory holds 0x%" PRIx64, group->held->value);
    else
        fprintf(out, "    memory holds %s", group->count > 0 ? "other values" : "values, not 0");
    fprintf(out, ": written by a device, the CPU, or before the kernel began%s%s\n",
            group->count > 0 && has_several_cpus() ? ", or by two CPUs at once" : "",
            group->held->likely ? "; or other memory is there now" : "");
}

/* The lines of a group without a write. */
static void print_unwritten(const struct group *group)
{
    if (lost_writes > 0)
        fprintf(out, "    not written, or one of %" PRIu64 " writes without room (-m)\n",
                lost_writes);
    else if (group->mapped)
        fprintf(out, "    not written since the kernel began\n");
    else
        fprintf(out, "    not written at this address since the kernel began, nor was its page\n");
}

static void print_group(const struct blamed_place *place, size_t layer, const struct group *group)
{
    uint64_t bytes = group->last - group->first + 1;

    fprintf(out, "%s, ", place->name);
    if (bytes == place->length)
        fprintf(out, "%" PRIu64 " byte%s", bytes, bytes == 1 ? "" : "s");
    else
        print_bytes(place, group->first, group->last);
    fprintf(out, " (0x%" PRIx64, group->first);
    if (writes_layers(group->first) > 1)
        fprintf(out, ", physical 0x%" PRIx64 "%s", group->first + group->shift,
                layer > 0 ? ", of another address space or before" : "");
    fprintf(out, "):\n");
    if (group->count == 0)
        print_unwritten(group);
    for (size_t i = 0; i < group->count; i++)
        if (group->writes[i].word.count > 0)
            print_write(place, group, &group->writes[i].word);
        else
            fprintf(out, "    not known: the last write to these 4 bytes did not cover them\n");
    if (group->held)
        print_held(group);
    fputc('\n', out);
}

/* Other memory at the address matters only where something has written to it. */
static void print_if_any(const struct blamed_place *place, size_t layer, const struct group *group)
{
    if (layer == 0 || group->count > 0)
        print_group(place, layer, group);
}

/* Returns the number of layers. */
static size_t print_layer(const struct blamed_place *place, size_t number, size_t layer)
{
    uint64_t end = place->address + place->length - 1;
    struct group group = {.count = 0};
    size_t layers = 1;

    for (uint64_t first = place->address; first - 1 != end; first = group.last + 1) {
        struct group next = writes_group(number, layer, first, end);

        if (writes_layers(first) > layers)
            layers = writes_layers(first);
        if (first > place->address && has_same_writers(&group, &next) &&
            (layers == 1 || group.shift == next.shift)) {
            group.last = next.last;
            continue;
        }
        if (first > place->address)
            print_if_any(place, layer, &group);
        group = next;
    }
    print_if_any(place, layer, &group);
    return layers;
}

int blame_print(FILE *to, const struct blamed_place *places, size_t count, const char *kernel,
                uint64_t lost, struct refusal *why)
{
    int error = writes_sort(clocks, why);

    out = to;
    kernel_name = kernel;
    lost_writes = lost;
    for (size_t i = 0; i < count && !error; i++)
        for (size_t layer = 0, layers = 1; layer < layers; layer++)
            layers = print_layer(&places[i], i, layer);
    return error;
}
