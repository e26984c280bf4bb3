/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `pitot` with damaged files: a kernel's ELF file with debug information, the output of nm and ld,
 * blame.data, the plugin's records, and random patterns. Each run forks, damages one of them, and
 * calls the command with a replacement for QEMU. The command must end by itself, with its own
 * status, within ten seconds, and print no control character. Built with sanitizers, and run, by
 * tests/host/outside_mutants.t:
 *
 *     pitot_mutants FOLDER SEED FIRST RUNS
 *
 * FOLDER has kernel.elf; strange.elf, which pitot copies for perf; narrow.elf, a 32-bit file; nm,
 * map, blame.data, wire; and the plugin beside this program. Runs with the same number and seed do
 * the same.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int pitot_main(int argc, char **argv);

#define main pitot_main
#include "outside/pitot/main.c"
#undef main

#include "outside/pitot/qemu.h"

#define FILE_MOST (1 << 20)
#define SECONDS   10

struct bytes {
    size_t size;
    char *at;
};

static const char *folder;
static struct bytes wire; /* sent by the plugin */
static size_t wire_sent;
static uint64_t state;

/* --- Replaces QEMU --- */

long answer_read(char *const *words, int first, int last, char *text, size_t room, bool *late)
{
    (void)words, (void)first, (void)last;
    *late = false;
    return snprintf(text, room, "QEMU emulator version 10.0\n-plugin FILE\n");
}

int machine_prepare(struct machine *machine, struct refusal *why)
{
    (void)why;
    *machine = (struct machine){.out = STDERR_FILENO};
    return 0;
}

int machine_start(struct machine *machine, char *const *command, bool mute, struct refusal *why)
{
    (void)machine, (void)command, (void)mute, (void)why;
    return 0;
}

size_t machine_read(struct machine *machine, void *bytes, size_t room)
{
    size_t left = wire.size - wire_sent, count = left < room ? left : room;

    (void)machine;
    memcpy(bytes, wire.at + wire_sent, count);
    wire_sent += count;
    return count;
}

void machine_stop(struct machine *machine)
{
    (void)machine;
}

int machine_finish(struct machine *machine)
{
    (void)machine;
    return 0;
}

/* --- Random numbers --- */

/* xorshift64* */
static uint64_t chance(uint64_t below)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (state * UINT64_C(0x2545f4914f6cdd1d) >> 16) % below;
}

static uint64_t number(void)
{
    static const uint64_t edges[] = {0,          1,         7,          255,       4095,
                                     4096,       65535,     1u << 20,   INT32_MAX, UINT32_MAX,
                                     1ull << 46, INT64_MAX, 1ull << 63, -4096ull,  UINT64_MAX};

    return chance(4) ? edges[chance(sizeof(edges) / sizeof(*edges))] : chance(UINT64_MAX);
}

/* A place in the file; in an ELF file, usually in one of its headers. */
static size_t place_in(const struct bytes *file)
{
    Elf64_Ehdr header;
    uint64_t at = chance(file->size - 8);

    if (file->size < sizeof(header) || memcmp(file->at, ELFMAG, SELFMAG) != 0 || chance(3) == 0)
        return at;
    memcpy(&header, file->at, sizeof(header));
    switch (chance(5)) {
    case 0:
        at = chance(sizeof(header));
        break;
    case 1:
    case 2:
        at = header.e_phoff + chance(header.e_phnum * sizeof(Elf64_Phdr) + 1);
        break;
    default:
        at = header.e_shoff + chance(header.e_shnum * sizeof(Elf64_Shdr) + 1);
    }
    return at < file->size - 8 ? at : 0;
}

static void change_once(struct bytes *file)
{
    static const size_t widths[] = {1, 2, 4, 8};
    size_t width = widths[chance(4)], at, from, length;
    uint64_t value = number();

    if (file->size < 16)
        return;
    at = place_in(file);
    if (chance(2))
        at -= at % width;
    switch (chance(8)) {
    case 0: /* bytes from elsewhere */
        from = chance(file->size);
        length = chance(64);
        if (from + length <= file->size && at + length <= file->size)
            memmove(file->at + at, file->at + from, length);
        break;
    case 1:
        if (chance(8) == 0)
            file->size = chance(file->size);
        break;
    case 2:
        file->at[at] = (char)(file->at[at] ^ 1 << chance(8));
        break;
    default:
        memcpy(file->at + at, &value, width);
    }
}

static void change(struct bytes *file)
{
    for (uint64_t times = 1 + chance(8); times > 0; times--)
        change_once(file);
}

/* --- Files --- */

static const char *path_of(const char *name)
{
    static char paths[4][512];
    static unsigned next;

    next = (next + 1) % 4;
    snprintf(paths[next], sizeof(paths[next]), "%s/%s", folder, name);
    return paths[next];
}

static struct bytes read_file(const char *name)
{
    struct bytes file = {.at = malloc(FILE_MOST)};
    FILE *from = fopen(path_of(name), "re");

    if (!from || !file.at) {
        fprintf(stderr, "no %s\n", path_of(name));
        exit(2);
    }
    file.size = fread(file.at, 1, FILE_MOST, from);
    fclose(from);
    return file;
}

static void write_file(const char *name, const struct bytes *file)
{
    FILE *to = fopen(path_of(name), "we");

    if (!to || fwrite(file->at, 1, file->size, to) != file->size || fclose(to) != 0) {
        fprintf(stderr, "%s cannot be written\n", path_of(name));
        exit(2);
    }
}

/* Writes a changed copy of `name` to `changed`, which is kept for investigating a finding. */
static void change_file(const char *name, const char *changed)
{
    struct bytes file = read_file(name);

    change(&file);
    if (strcmp(name, "blame.data") == 0 && file.size > 64 && chance(4)) {
        uint64_t sum = 0, word;

        file.size -= file.size % 8; /* like the checksum of blame_file.c */
        for (size_t at = 0; at + 8 < file.size; at += 8) {
            memcpy(&word, file.at + at, 8);
            sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
            sum ^= sum >> 32;
        }
        sum = ~sum;
        memcpy(file.at + file.size - 8, &sum, 8);
    }
    write_file(changed, &file);
}

/* --- Commands --- */

static char *pattern(void)
{
    static const char *const parts[] = {
        "*",  "?", "vfs", "_",    "::",   "<",         ">", "sched", "+", "-",      "/",   ":",
        "0x", "8", "w",   "\x1b", "read", "run_queue", ",", "%",     "=", "period", " as "};
    static char text[256];
    size_t used = (size_t)snprintf(text, sizeof(text), "%s",
                                   (const char *const[]){"call:", "mem:", "return:"}[chance(3)]);

    for (uint64_t count = chance(9); count > 0; count--)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s",
                                 parts[chance(sizeof(parts) / sizeof(*parts))]);
    return text;
}

static int run_with(const char *const *words)
{
    char *argv[24];
    int argc = 0;

    for (; words[argc]; argc++)
        argv[argc] = strdup(words[argc]);
    argv[argc] = NULL;
    return pitot_main(argc, argv);
}

static int run_command(const char *kernel, const char *event)
{
    const char *output = path_of("out"), *elf = path_of(kernel);

    switch (chance(7)) {
    case 0:
        return run_with(
            (const char *[]){"pitot", "stat", "-e", event, "--", "qemu", "-kernel", elf, NULL});
    case 1:
        return run_with(
            (const char *[]){"pitot", "cover", "-o", output, "--", "qemu", "-kernel", elf, NULL});
    case 2:
        return run_with((const char *[]){"pitot", "last", "--", "qemu", "-kernel", elf, NULL});
    case 3:
        return run_with(
            (const char *[]){"pitot", "graph", "*", "--", "qemu", "-kernel", elf, NULL});
    case 4:
        return run_with((const char *[]){"pitot", "blame", "run_queue", "0xffffffff80101000/64",
                                         "--", "qemu", "-kernel", elf, NULL});
    case 5:
        return run_with(
            (const char *[]){"pitot", "blame", "-o", output, "--", "qemu", "-kernel", elf, NULL});
    default:
        return run_with((const char *[]){"pitot", "record", "-g", "-e", "return:*", "-e", event,
                                         "-o", output, "--", "qemu", "-kernel", elf, NULL});
    }
}

static int run_changed(void)
{
    static const char *const kernels[] = {"kernel.elf", "strange.elf", "narrow.elf"};
    const char *list = chance(2) ? "map" : "nm";

    wire = read_file("wire");
    switch (chance(6)) {
    case 0:
    case 1:
        change_file(kernels[chance(3)], "changed.elf");
        return run_command("changed.elf", "call:*");
    case 2:
        change_file(list, "changed.list");
        return run_with((const char *[]){"pitot", "record", "-g", "-e", "call:*", "-o",
                                         path_of("out"), "--symbols", path_of("changed.list"), "--",
                                         "qemu", NULL});
    case 3:
        change_file("blame.data", "changed.blame");
        return run_with((const char *[]){"pitot", "blame", "-i", path_of("changed.blame"),
                                         "run_queue", "0xffffffff80100ff8/32", NULL});
    case 4:
        change(&wire);
        return run_command("kernel.elf", "call:*");
    default:
        return run_command("kernel.elf", pattern());
    }
}

/* --- Runs --- */

static _Noreturn void run_child(uint64_t seed)
{
    int printed = open(path_of("printed"), O_WRONLY | O_CREAT | O_TRUNC, 0666);

    setrlimit(RLIMIT_FSIZE, &(struct rlimit){64 << 20, 64 << 20});
    signal(SIGXFSZ, SIG_IGN);
    dup2(printed, STDOUT_FILENO);
    dup2(printed, STDERR_FILENO);
    alarm(SECONDS);
    state = seed;
    exit(run_changed());
}

/* Returns what is wrong; NULL: nothing. */
static const char *judge(int status)
{
    struct bytes printed = read_file("printed");
    const char *wrong = NULL;

    for (size_t i = 0; i < printed.size && !wrong; i++)
        if ((unsigned char)printed.at[i] < ' ' && printed.at[i] != '\n' && printed.at[i] != '\t')
            wrong = "it printed a control character";
    /* The sanitizer does not see reads by the operating system. */
    if (memmem(printed.at, printed.size, "Bad address", strlen("Bad address")))
        wrong = "it had the system read memory that is not there";
    if (WIFSIGNALED(status))
        wrong = WTERMSIG(status) == SIGALRM ? "it does not end" : "a signal ended it";
    else if (WEXITSTATUS(status) > 1 && WEXITSTATUS(status) != WRONG_USAGE)
        wrong = "its status is none of its own";
    free(printed.at);
    return wrong;
}

int main(int argc, char **argv)
{
    uint64_t seed, first, runs;

    if (argc != 5)
        return 2;
    folder = argv[1];
    seed = strtoull(argv[2], NULL, 10);
    first = strtoull(argv[3], NULL, 10);
    runs = strtoull(argv[4], NULL, 10);
    for (uint64_t run = first; run < first + runs; run++) {
        pid_t child = fork();
        const char *wrong;
        int status;

        if (child == 0)
            run_child((seed * 0x9e3779b97f4a7c15u + run) * 0x9e3779b97f4a7c15u | 1);
        waitpid(child, &status, 0);
        wrong = judge(status);
        if (wrong) {
            printf("run %llu of seed %llu: %s (status 0x%x); %s\n", (unsigned long long)run,
                   (unsigned long long)seed, wrong, status, path_of("printed"));
            return 1;
        }
    }
    printf("%llu runs\n", (unsigned long long)runs);
    return 0;
}
