/* SPDX-License-Identifier: BSD-2-Clause */
/* See log.h. */
#define _GNU_SOURCE
#include "outside/plugin/log.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "outside/plugin/follow.h"

#define WINDOW    (UINT64_C(16) << 20) /* of the file, in memory at once */
#define FILE_SIZE (UINT64_C(1) << 40) /* sparse: room for QEMU's writes, and no fault in a window */
#define LINE_ROOM 512

/* --- Lines --- */

/* The first words of the lines that show a CPU's registers. The last one ends them. */
static const char *const registers[] = {
    "RAX=", "RSI=", "R8 =", "R12=", "RIP=", "EAX=", "ESI=",   "EIP=", "ES =", "CS =",
    "SS =", "DS =", "FS =", "GS =", "LDT=", "TR =", "GDT=",   "IDT=", "CR0=", "DR0=",
    "DR6=", "CCS=", "FCW=", "FPR",  "XMM",  "YMM",  "Opmask", "EFER="};
#define REGISTERS (sizeof(registers) / sizeof(*registers))

static bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

/* The hexadecimal number after `key`. */
static uint64_t number_after(const char *line, const char *key)
{
    const char *at = strstr(line, key);

    return at ? strtoull(at + strlen(key), NULL, 16) : 0;
}

static bool read_state(struct log_reader *reader, const char *line, bool *complete)
{
    size_t i = 0;

    while (i < REGISTERS && !begins(line, registers[i]))
        i++;
    reader->in_state = i < REGISTERS - 1;
    if (i == REGISTERS)
        return false;
    if (begins(line, "CR0="))
        reader->record.space = number_after(line, "CR3=") & ~UINT64_C(0xfff);
    *complete = reader->has_record && !reader->in_state;
    if (*complete)
        reader->has_record = false;
    return true;
}

/* "     0: v=80 e=0000 i=1 cpl=0 IP=0008:0000000000200118 pc=0000000000200118 SP=0000:..." */
static bool read_record(struct log_reader *reader, const char *line)
{
    const char *at = line, *sp = strstr(line, " SP=");

    while (isspace((unsigned char)*at) || isdigit((unsigned char)*at))
        at++;
    if (at == line || !begins(at, ": v=") || !sp || !(sp = strchr(sp, ':')))
        return false;
    reader->record = (struct log_record){
        .vector = (unsigned)number_after(line, "v="),
        .error = (uint32_t)number_after(line, " e="),
        .privilege = (unsigned)number_after(line, "cpl="),
        .ip = number_after(line, "pc="),
        .sp = strtoull(sp + 1, NULL, 16),
    };
    reader->has_record = reader->in_state = true;
    return true;
}

bool log_read_line(struct log_reader *reader, const char *line, bool *complete)
{
    *complete = false;
    if (reader->in_state && read_state(reader, line, complete))
        return true;
    if (read_record(reader, line))
        return true;
    if (begins(line, "SMM: ")) {
        reader->in_state = true;
        return true;
    }
    return begins(line, "Servicing hardware INT=") || begins(line, "check_exception old: ");
}

/* --- Files --- */

static char folder[REQUEST_PATH_ROOM];
static int copy = -1;
static bool copies_all;

/* A thread's file: of one CPU, or of all with thread=single. */
static struct log {
    long thread; /* 0: not opened */
    int file;
    const char *window; /* of the file, from `from` on */
    uint64_t from, at;
    struct log_reader reader;
    struct waiting {
        struct log_record record;
        bool waits;
    } waiting[FOLLOW_CPUS]; /* for CPUs other than the one that has read it */
} logs[FOLLOW_CPUS];

static struct log *log_of[FOLLOW_CPUS];

static const char unopened = 1, nothing = 0;
const volatile char *log_news[FOLLOW_CPUS] = {[0 ... FOLLOW_CPUS - 1] = &nothing};

static void set_news(unsigned cpu, const volatile char *place)
{
    __atomic_store_n(&log_news[cpu], place, __ATOMIC_RELAXED);
}

void log_begin(const struct request *request)
{
    memcpy(folder, request->log.folder, sizeof(folder));
    copy = request->log.copy;
    copies_all = request->log.copies_all;
    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++)
        set_news(cpu, &unopened);
}

/*
 * Maps the next part of the file, where the last one was: CPUs that share the file, and those that
 * still run at the end, may look there at any time. They then look at the file's new end.
 */
static bool map_window(struct log *log)
{
    void *last = (void *)(uintptr_t)log->window;
    void *window;

    log->window = NULL;
    log->from = log->at & ~(WINDOW / 2 - 1);
    if (log->from > 0)
        fallocate(log->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)log->from);
    window = mmap(last, WINDOW, PROT_READ, MAP_SHARED | (last ? MAP_FIXED : 0), log->file,
                  (off_t)log->from);
    if (window == MAP_FAILED)
        return false;
    log->window = window;
    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++)
        if (log_of[cpu] == log)
            set_news(cpu, &unopened);
    return true;
}

/* Opens the file of this thread, which QEMU makes at its first line. */
static bool open_log(struct log *log)
{
    char path[REQUEST_PATH_ROOM + 32];

    log_write_line();
    snprintf(path, sizeof(path), "%s/%ld", folder, log->thread);
    log->file = open(path, O_RDWR | O_CLOEXEC);
    return log->file >= 0 && unlink(path) == 0 && ftruncate(log->file, (off_t)FILE_SIZE) == 0 &&
           map_window(log);
}

/* Finds or opens the log of this CPU's thread. Under the lock, as CPUs may share it. */
static void find_log(unsigned cpu)
{
    long thread = syscall(SYS_gettid);
    unsigned i = 0;

    while (logs[i].thread && logs[i].thread != thread)
        i++;
    log_of[cpu] = &logs[i];
    if (logs[i].thread)
        return;
    logs[i].thread = thread;
    open_log(&logs[i]);
}

static bool has_more(unsigned cpu)
{
    struct log *log = log_of[cpu];

    if (!log->window || (log->at - log->from > WINDOW / 2 && !map_window(log))) {
        set_news(cpu, &nothing);
        return false;
    }
    set_news(cpu, &log->window[log->at - log->from]);
    return log_has_news(cpu);
}

static void copy_line(const char *line, size_t size, bool is_int)
{
    if (copy >= 0 && size > 1 && (copies_all || !is_int) && write(copy, line, size) < 0)
        copy = -1;
}

/* Reads the next record of the file. */
static bool read_file(unsigned cpu, struct log_record *record)
{
    struct log *log = log_of[cpu];

    while (has_more(cpu)) {
        const char *line = log->window + (log->at - log->from);
        const char *end = memchr(line, '\n', WINDOW / 2);
        size_t size = end ? (size_t)(end - line) : 0;
        char text[LINE_ROOM];
        bool complete, is_int;

        if (!end)
            return false;
        snprintf(text, sizeof(text), "%.*s", (int)(size < LINE_ROOM ? size : LINE_ROOM - 1), line);
        log->at += size + 1;
        is_int = log_read_line(&log->reader, text, &complete);
        copy_line(line, size + 1, is_int);
        if (complete) {
            *record = log->reader.record;
            return true;
        }
    }
    return false;
}

/* With thread=single: the CPU whose stack was interrupted. */
static unsigned owner_of(unsigned cpu, const struct log_record *record)
{
    unsigned other = 0;

    if (follow_is_on(cpu, record->sp))
        return cpu;
    while (other < FOLLOW_CPUS &&
           (log_of[other] != log_of[cpu] || !follow_is_on(other, record->sp)))
        other++;
    return other < FOLLOW_CPUS ? other : cpu;
}

bool log_next(unsigned cpu, struct log_record *record)
{
    struct waiting *waiting;
    unsigned owner;

    if (!log_of[cpu])
        find_log(cpu);
    waiting = &log_of[cpu]->waiting[cpu];
    if (waiting->waits) {
        *record = waiting->record;
        waiting->waits = false;
        has_more(cpu);
        return true;
    }
    while (read_file(cpu, record)) {
        owner = owner_of(cpu, record);
        if (owner == cpu)
            return true;
        log_of[cpu]->waiting[owner] = (struct waiting){*record, true};
        set_news(owner, &unopened);
    }
    return false;
}

void log_end(void)
{
    struct log_record record;

    for (unsigned cpu = 0; cpu < FOLLOW_CPUS; cpu++)
        while (log_of[cpu] && read_file(cpu, &record))
            ;
    if (*folder)
        rmdir(folder); /* if it is empty: also where pitot was killed */
}
