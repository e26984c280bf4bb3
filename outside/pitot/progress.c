/* SPDX-License-Identifier: BSD-2-Clause */
/* See progress.h. */
#include "outside/pitot/progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define FIRST  UINT64_C(1000000000) /* ns */
#define AGAIN  UINT64_C(200000000)
#define REMOVE "\r\x1b[K"

static struct {
    bool on, shown;
    const char *what, *unit;
    uint64_t whole, next; /* next: when to print */
} progress;

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

void progress_begin(const char *what, uint64_t whole, const char *unit)
{
    progress.on = isatty(STDERR_FILENO);
    progress.shown = false;
    progress.what = what;
    progress.whole = whole;
    progress.unit = unit;
    progress.next = now() + FIRST;
}

void progress_at(uint64_t done)
{
    uint64_t time;

    if (!progress.on)
        return;
    time = now();
    if (time < progress.next)
        return;
    progress.next = time + AGAIN;
    progress.shown = true;
    fprintf(stderr, "%spitot: %s: ", REMOVE, progress.what);
    if (progress.whole > 0)
        fprintf(stderr, "%llu %%", (unsigned long long)(done * 100 / progress.whole));
    else
        fprintf(stderr, "%llu %s", (unsigned long long)done, progress.unit);
}

void progress_end(void)
{
    if (progress.on && progress.shown)
        fprintf(stderr, REMOVE);
    progress.on = false;
}
