/* SPDX-License-Identifier: BSD-2-Clause */
/* See watch.h. */
#include "tools/outside/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arch/x86_64/cpu/registers.h"
#include "tools/outside/complain.h"

/* The stub's order of a 64-bit CPU's registers (its `g` packet), and DWARF's number of each. */
#define BY_STUB(field, name, gdb, dwarf) [gdb] = (dwarf),
static const uint8_t stub_to_dwarf[DWARF_REGISTERS] = {REGISTERS_GENERAL(BY_STUB)[16] = DWARF_RIP};
#define STUB_CS_OFFSET (DWARF_REGISTERS * 8 + 4) /* after these and 32 bits of eflags */

#define LOOK_MS 100 /* a person who presses ^C waits no longer */

uint64_t watch_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static bool stub_failed(const struct watch *watch)
{
    return complain("%s", watch->stub.why);
}

/* --- Points. --- */

/* `what` is Z to set it, z to take it away. */
static bool place_point(struct watch *watch, char what, unsigned kind, uint64_t address,
                        uint64_t length)
{
    char body[64];

    snprintf(body, sizeof(body), "%c%u,%llx,%llx", what, kind, (unsigned long long)address,
             (unsigned long long)length);
    return stub_ask(&watch->stub, body, "OK") || stub_failed(watch);
}

static bool place_all(struct watch *watch, char what)
{
    for (unsigned i = 0; i < watch->point_count; i++)
        if (!place_point(watch, what, watch->points[i].kind, watch->points[i].address,
                         watch->points[i].length))
            return false;
    return !watch->until || place_point(watch, what, POINT_EXECUTE, watch->until, 1);
}

bool watch_begin(struct watch *watch)
{
    return place_all(watch, 'Z');
}

/* --- Stops. --- */

struct stop {
    unsigned cpu;
    bool ended; /* there is no machine any more */
    bool data;  /* at a watched address, which follows */
    uint64_t address;
};

/* The reply is as T05thread:02;watch:ffffffff80213200; with threads numbered from 1. */
static struct stop read_stop(const struct stub *stub)
{
    struct stop stop = {.ended = stub->reply[0] != 'T' && stub->reply[0] != 'S'};
    const char *thread = strstr(stub->reply, "thread:"), *watch = strstr(stub->reply, "watch:");
    const char *dot = thread ? strpbrk(thread, ".;") : NULL; /* p01.02: the process goes first */

    if (dot && *dot == '.')
        stop.cpu = (unsigned)strtoul(dot + 1, NULL, 16) - 1;
    else if (thread)
        stop.cpu = (unsigned)strtoul(thread + strlen("thread:"), NULL, 16) - 1;
    stop.data = watch != NULL;
    if (watch)
        stop.address = strtoull(watch + strlen("watch:"), NULL, 16);
    return stop;
}

static bool wants_to_end(const struct watch *watch)
{
    return *watch->stop || (watch->deadline_ns && watch_clock_ns() >= watch->deadline_ns);
}

/* A signal does not end a wait, so it is looked for between two short ones. */
static int patience_ms(const struct watch *watch)
{
    uint64_t now = watch_clock_ns(), left;

    if (!watch->deadline_ns)
        return LOOK_MS;
    left = now < watch->deadline_ns ? (watch->deadline_ns - now) / 1000000 + 1 : 0;
    return left < LOOK_MS ? (int)left : LOOK_MS;
}

/* Until the machine stands still again, be it that we stop it. */
static bool wait_stop(struct watch *watch, struct stop *stop)
{
    bool interrupted = false;

    for (;;) {
        if (!interrupted && wants_to_end(watch)) {
            if (!stub_interrupt(&watch->stub))
                return stub_failed(watch);
            interrupted = true;
        }
        switch (stub_get(&watch->stub, interrupted ? STUB_PATIENCE_MS : patience_ms(watch))) {
        case STUB_PACKET:
            if (!strchr("TSWX", watch->stub.reply[0]))
                continue;
            *stop = read_stop(&watch->stub);
            return true;
        case STUB_ENDED:
            *stop = (struct stop){.ended = true};
            return true;
        case STUB_NOTHING:
            if (interrupted)
                return complain("the machine does not stop");
        }
    }
}

bool watch_run_to(struct watch *watch, uint64_t address)
{
    struct stop stop;

    if (!place_point(watch, 'Z', POINT_EXECUTE, address, 1) || !stub_put(&watch->stub, "c"))
        return false;
    if (!wait_stop(watch, &stop))
        return false;
    if (stop.ended || wants_to_end(watch)) {
        watch->machine_ended = stop.ended;
        return complain("no CPU came to 0x%llx before the end", (unsigned long long)address);
    }
    return place_point(watch, 'z', POINT_EXECUTE, address, 1);
}

/* --- A machine that stands still. --- */

static bool read_word(struct machine *machine, uint64_t address, uint64_t *word)
{
    struct watch *watch = ((struct hit *)machine)->watch;
    uint64_t start = address & ~(uint64_t)(sizeof(watch->blocks[0].words) - 1);
    unsigned i;

    for (i = 0; i < watch->block_count && watch->blocks[i].address != start; i++)
        ;
    if (i == watch->block_count && i < BLOCKS &&
        stub_read(&watch->stub, start, watch->blocks[i].words, sizeof(watch->blocks[i].words)))
        watch->blocks[watch->block_count++].address = start;
    if (i == watch->block_count || address % sizeof(*word))
        return stub_read(&watch->stub, address, word, sizeof(*word));
    *word = watch->blocks[i].words[(address - start) / sizeof(*word)];
    return true;
}

/* `g`: sixteen registers, rip, eflags, and the segments, of the CPU that stopped. */
static bool read_registers(struct watch *watch, struct hit *hit)
{
    uint8_t bytes[STUB_PACKET_MAX / 2];
    size_t length;
    uint32_t cs;

    if (!stub_put(&watch->stub, "g") || stub_get(&watch->stub, STUB_PATIENCE_MS) != STUB_PACKET)
        return complain("the stub does not give registers");
    length = watch->stub.reply_length / 2;
    if (length < STUB_CS_OFFSET + sizeof(cs) || !stub_reply_bytes(&watch->stub, bytes, length))
        return complain("the stub gives %zu bytes of registers: no 64-bit x86 CPU", length);
    for (unsigned i = 0; i < DWARF_REGISTERS; i++)
        memcpy(&hit->machine.registers[stub_to_dwarf[i]], bytes + 8 * i, 8);
    memcpy(&cs, bytes + STUB_CS_OFFSET, sizeof(cs));
    hit->user = (cs & 3) == 3;
    hit->machine.read_word = read_word;
    hit->watch = watch;
    watch->block_count = 0;
    return true;
}

/*
 * Finds a point for data by the address that the stub names, one for code by where the CPU is;
 * NULL: none.
 */
static struct point *point_of(const struct watch *watch, const struct stop *stop, uint64_t rip)
{
    for (unsigned i = 0; i < watch->point_count; i++) {
        struct point *point = &watch->points[i];

        if (point->kind == POINT_EXECUTE
                ? !stop->data && rip == point->address
                : stop->data && stop->address - point->address < point->length)
            return point;
    }
    return NULL;
}

/* A CPU stops before the instruction at a point for execution: it steps over it, and continues. */
static bool go_on(struct watch *watch, const struct hit *hit)
{
    const struct point *point = hit->point;
    char body[32];

    if (!point || point->kind != POINT_EXECUTE)
        return stub_put(&watch->stub, "c") || stub_failed(watch);
    snprintf(body, sizeof(body), "vCont;s:%x", hit->cpu + 1);
    return place_point(watch, 'z', point->kind, point->address, 1) &&
           stub_ask(&watch->stub, body, "T") &&
           place_point(watch, 'Z', point->kind, point->address, 1) &&
           (stub_put(&watch->stub, "c") || stub_failed(watch));
}

enum watch_result watch_next(struct watch *watch, struct hit *hit)
{
    struct stop stop;

    if (!go_on(watch, hit) || !wait_stop(watch, &stop))
        return WATCH_FAILS;
    hit->point = NULL;
    watch->machine_ended = stop.ended;
    if (stop.ended)
        return WATCH_ENDS;
    if (!read_registers(watch, hit))
        return WATCH_FAILS;
    hit->cpu = stop.cpu;
    if (watch->until && !stop.data && hit->machine.registers[DWARF_RIP] == watch->until)
        return WATCH_ENDS;
    hit->point = point_of(watch, &stop, hit->machine.registers[DWARF_RIP]);
    if (hit->point)
        return WATCH_HIT;
    if (wants_to_end(watch))
        return WATCH_ENDS;
    complain("the machine stopped at 0x%llx for a reason that is none of ours: \"%.40s\"",
             (unsigned long long)hit->machine.registers[DWARF_RIP], watch->stub.reply);
    return WATCH_FAILS;
}

bool watch_end(struct watch *watch)
{
    if (watch->machine_ended)
        return true;
    return place_all(watch, 'z') && (stub_ask(&watch->stub, "D", "OK") || stub_failed(watch));
}
