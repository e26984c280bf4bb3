/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * postmortem [OPTION...] FROM: writes the recording of a stopped machine as a stream for perf, by
 * the kernel's own stream code. docs/crash.md shows a session. Called by a person or `make
 * postmortem`.
 */
#define _GNU_SOURCE /* asprintf */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/lib/assert.h"
#include "core/stream/stream.h"
#include "tools/postmortem/memory.h"
#include "tools/postmortem/recording.h"

#define WRONG_USAGE 2

static const char usage[] =
    "usage: postmortem [-k KERNEL] [-o FILE] [-c] FROM\n"
    "\n"
    "Writes the recording of a machine that has stopped as a stream for perf.\n"
    "\n"
    "    FROM      a file that `dump-guest-memory FILE` made in QEMU's monitor, or the socket of\n"
    "              QEMU's stub for gdb (GDB=SOCKET tools/machine). QEMU stops a machine that runs\n"
    "              when somebody connects to its stub\n"
    "    -k KERNEL the kernel's ELF file, build/pitot.elf if none is given\n"
    "    -o FILE   where the stream goes, in place of the standard output\n"
    "    -c        the machine goes on afterwards; it stays stopped otherwise\n"
    "    -h        this text\n"
    "\n"
    "    perf script -i FILE --vmlinux=KERNEL      perf report -i FILE --vmlinux=KERNEL\n"
    "\n"
    "What was found on each CPU is told on stderr. Status: 0 a stream was written; 1 it was not,\n"
    "and why is on stderr; 2 wrong usage.\n";

static struct {
    const char *kernel, *output, *from;
    bool go_on;
} options = {.kernel = "build/pitot.elf"};

bool complain(const char *path, const char *format, ...)
{
    va_list arguments;

    fprintf(stderr, "postmortem: %s: ", path);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return false;
}

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    fprintf(stderr, "postmortem: %s:%d: broken: %s\n", file, line, claim);
    abort();
}

static int refuse_usage(void)
{
    fputs(usage, stderr);
    return WRONG_USAGE;
}

static int print_usage(void)
{
    fputs(usage, stdout);
    if (fflush(stdout) == 0)
        return EXIT_SUCCESS;
    complain("the standard output", "cannot write: %s", strerror(errno));
    return EXIT_FAILURE;
}

/* Returns 0, an exit status from 1, or -1 if help was requested. */
static int take_options(int argc, char **argv)
{
    int option;

    while ((option = getopt(argc, argv, "k:o:ch")) != -1) {
        if (option == 'h')
            return -1;
        if (option == '?')
            return refuse_usage();
        if (option == 'k')
            options.kernel = optarg;
        if (option == 'o')
            options.output = optarg;
        options.go_on |= option == 'c';
    }
    if (optind + 1 != argc)
        return refuse_usage();
    options.from = argv[optind];
    return 0;
}

static struct memory *open_memory(const char *path)
{
    struct stat status;

    if (stat(path, &status) != 0) {
        complain(path, "%s", strerror(errno));
        return NULL;
    }
    if (S_ISSOCK(status.st_mode))
        return stub_open(path);
    if (S_ISREG(status.st_mode))
        return dump_open(path);
    complain(path, "neither a file nor a socket");
    return NULL;
}

/* --- Findings. --- */

static void tell_account(const struct recorded_ring *ring)
{
    const struct ring *state = &ring->ring;

    if (state->mode == RING_OVERWRITE && !ring->damaged && !ring_walk_adds_up(&ring->walk))
        fprintf(stderr,
                "CPU %u: the account does not close: %llu were produced; something has written "
                "over the ring\n",
                ring->cpu, (unsigned long long)state->produced);
    if (state->mode == RING_NORMAL && state->tail > 0)
        fprintf(stderr, "CPU %u: what came before has left by the machine's own stream\n",
                ring->cpu);
}

static void tell_ring(const struct recorded_ring *ring)
{
    if (ring->fault) {
        fprintf(stderr, "CPU %u: the ring is damaged: %s\n", ring->cpu, ring->fault);
        return;
    }
    fprintf(stderr,
            "CPU %u: %llu records, %llu of them inside an unfinished one; %llu unfinished, %llu "
            "overwritten, %llu dropped\n",
            ring->cpu, (unsigned long long)ring->walk.records,
            (unsigned long long)ring->walk.inside, (unsigned long long)ring->walk.unfinished,
            (unsigned long long)ring->ring.overwritten, (unsigned long long)ring->ring.dropped);
    if (ring->foreign)
        fprintf(stderr, "CPU %u: %llu records of no event of this recording were left out\n",
                ring->cpu, (unsigned long long)ring->foreign);
    if (ring->damaged)
        fprintf(stderr, "CPU %u: no record at %llu: the %llu bytes from there on were left out\n",
                ring->cpu, (unsigned long long)ring->walk.position,
                (unsigned long long)(ring->ring.head - ring->walk.position));
    tell_account(ring);
}

/* --- The stream. --- */

struct file_sink {
    struct sink sink;
    FILE *file;
};

static void file_sink_write(struct sink *sink, const char *bytes, size_t length)
{
    fwrite(bytes, 1, length, ((struct file_sink *)sink)->file);
}

/* Returns the number of CPUs: they are numbered from 0, and each that ran had a ring. */
static unsigned cpus_with_rings(const struct recording *recording)
{
    unsigned count = 0;

    for (size_t i = 0; i < recording->ring_count; i++)
        if (recording->rings[i].cpu >= count)
            count = recording->rings[i].cpu + 1;
    return count;
}

/*
 * Writes the stream. It ends at the newest record's time, because no clock shows when the machine
 * stopped.
 */
static void write_stream(struct recording *recording, const struct kernel *kernel,
                         struct file_sink *to)
{
    const unsigned cpus = cpus_with_rings(recording);
    const struct stream_kernel described = {.build_id = kernel->build_id,
                                            .text = kernel->text,
                                            .text_size = kernel->text_size,
                                            .arch = "x86_64",
                                            .cpus = cpus,
                                            .online = cpus};
    struct recorded_loss *losses = calloc(recording->ring_count, sizeof(*losses));
    struct record_source *source = &recording->source;
    static struct stream stream;

    for (size_t i = 0; losses && i < recording->ring_count; i++)
        if (!recording->rings[i].fault)
            losses[i] = (struct recorded_loss){.cpu = recording->rings[i].cpu,
                                               .dropped = recording->rings[i].ring.dropped,
                                               .overwritten = recording->rings[i].ring.overwritten};
    source->rewind(source);
    while (source->next(source))
        ; /* for the newest record's time */
    stream_init(&stream, &to->sink, &described);
    stream_write_recording(&stream, source, recording->tasks, recording->task_count, losses,
                           losses ? recording->ring_count : 0, recording->newest);
    free(losses);
}

/* A whole output replaces an older file. A device or link has no other name. Or NULL. */
static char *name_of_part(void)
{
    struct stat status;
    char *name = NULL;

    if (lstat(options.output, &status) == 0 && !S_ISREG(status.st_mode))
        return strdup(options.output);
    return asprintf(&name, "%s.part", options.output) < 0 ? NULL : name;
}

static bool write_file(struct recording *recording, const struct kernel *kernel, const char *path,
                       FILE *file)
{
    struct file_sink to = {{file_sink_write}, file};

    if (!file)
        return complain(path, "%s", strerror(errno));
    write_stream(recording, kernel, &to);
    bool failed = ferror(file);
    if (fclose(file) != 0 || failed)
        return complain(path, "cannot write: %s", strerror(errno));
    return true;
}

static bool write_output(struct recording *recording, const struct kernel *kernel)
{
    const char *console = "the standard output";

    if (!options.output && isatty(STDOUT_FILENO))
        return complain(console, "a terminal: -o FILE writes the stream to a file");
    if (!options.output)
        return write_file(recording, kernel, console, stdout);
    char *part = name_of_part();
    bool done = part && write_file(recording, kernel, options.output, fopen(part, "wb"));
    bool beside = part && strcmp(part, options.output) != 0;
    if (done && beside && rename(part, options.output) != 0)
        done = complain(options.output, "%s", strerror(errno));
    if (!done && beside)
        unlink(part);
    free(part);
    return done;
}

static bool write_to(struct recording *recording, const struct kernel *kernel)
{
    if (!write_output(recording, kernel))
        return false;
    for (size_t i = 0; i < recording->ring_count; i++)
        tell_ring(&recording->rings[i]);
    return true;
}

int main(int argc, char **argv)
{
    static struct recording recording;
    struct kernel kernel;
    struct memory *memory;
    int status = take_options(argc, argv);

    if (status < 0)
        return print_usage();
    if (status > 0)
        return status;
    if (!kernel_open(&kernel, options.kernel) || !(memory = open_memory(options.from)))
        return EXIT_FAILURE;
    bool done = kernel_is_in(&kernel, memory) &&
                recording_read(&recording, memory, kernel.recorder) &&
                write_to(&recording, &kernel);
    done &= memory->close(memory, options.go_on);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
