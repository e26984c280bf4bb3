/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * QEMU's own log, which tells each interrupt and exception of x86 (`-d int`) before the first block
 * of its handler runs. `pitot` gives QEMU a folder for it; each of QEMU's threads writes a file
 * there (`-d tid`), which its CPU reads where it lies, in memory, without a system call if there is
 * nothing new. Only for QEMU before 9.2 (facts_places.c).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "outside/request.h"

/* An interrupt, as QEMU logs it before it is delivered. */
struct log_record {
    unsigned vector, privilege;
    uint32_t error;
    uint64_t ip, sp, space; /* of the interrupted code */
};

/* What is read of a log, for tests and below: `text` has `size` bytes, whole lines. */
struct log_reader {
    bool in_state; /* in the registers that follow a record */
    bool has_record;
    struct log_record record; /* complete once the registers end */
};

/*
 * Reads one line, without its end. Returns true if it is of `-d int`; `*complete`: it ends a
 * record, which is in the reader.
 */
bool log_read_line(struct log_reader *reader, const char *line, bool *complete);

/* The request names a folder. */
void log_begin(const struct request *request);

/*
 * Where the next byte of each CPU's log will be; not 0 once there is more, or before it is open. It
 * changes under the lock: in the CPU's thread, and at the end, while the CPU may still run.
 */
extern const volatile char *log_news[];

/* True if log_next may find a record. Needs no lock. */
static inline bool log_has_news(unsigned cpu)
{
    return *__atomic_load_n(&log_news[cpu], __ATOMIC_RELAXED);
}

/* Called in the CPU's thread. Reads the next record; false: there is none. */
bool log_next(unsigned cpu, struct log_record *record);

/* At the end: copies the rest of what the user asked for. */
void log_end(void);

/* Implemented by the plugin: writes a line to QEMU's log, so that this thread's file exists. */
void log_write_line(void);
