/* SPDX-License-Identifier: BSD-2-Clause */
/* See window.h. */
#include "outside/plugin/window.h"

static struct {
    bool has_from, has_until, closed, ended;
    uint64_t from, until;
    uint64_t samples_most, samples, left_out; /* samples_most 0: unlimited */
    uint64_t opened, before; /* instructions before the last opening; those in earlier windows */
} window;

void window_begin(const struct request *request)
{
    window.from = request->from;
    window.until = request->until;
    window.has_from = window.closed = request->from != 0;
    window.has_until = request->until != 0;
    window.samples_most = request->samples_most;
}

void window_slide(uint64_t by)
{
    window.from += by;
    window.until += by;
}

bool window_border(uint64_t ip)
{
    return (window.has_from && ip == window.from) || (window.has_until && ip == window.until);
}

/* Calls are counted without the lock. */
bool window_open(void)
{
    return !__atomic_load_n(&window.closed, __ATOMIC_RELAXED);
}

static void close_at(uint64_t instructions)
{
    if (window.closed)
        return;
    __atomic_store_n(&window.closed, true, __ATOMIC_RELAXED);
    window.before += instructions - window.opened;
}

void window_cross(uint64_t ip, uint64_t instructions)
{
    if (window.has_until && ip == window.until) {
        close_at(instructions);
    } else if (window.closed && !window.ended) {
        __atomic_store_n(&window.closed, false, __ATOMIC_RELAXED);
        window.opened = instructions;
    }
}

bool window_takes_sample(void)
{
    if (window.samples_most && window.samples == window.samples_most) {
        window.left_out++;
        return false;
    }
    window.samples++;
    return true;
}

void window_end(uint64_t instructions)
{
    close_at(instructions);
    window.ended = true;
}

uint64_t window_instructions(uint64_t instructions)
{
    return window.before + (window.closed ? 0 : instructions - window.opened);
}

uint64_t window_left_out(void)
{
    return window.left_out;
}
