/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * outside [OPTION...] -e EVENT: watches a kernel that knows nothing of it, from behind QEMU's stub
 * for gdb, and writes a stream for the real perf. docs/porting.md shows a session. A person calls
 * it.
 */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/lib/assert.h"
#include "tools/outside/complain.h"
#include "tools/outside/record.h"

#define WRONG_USAGE 2

static const char usage[] =
    "usage: outside --kernel ELF --gdb STUB -e EVENT [OPTION...]\n"
    "\n"
    "Watches any x86-64 kernel in QEMU through its stub for gdb, and writes perf's format.\n"
    "\n"
    "  -k, --kernel ELF    the kernel's file, with its symbols; chains want its CFI\n"
    "      --gdb STUB      QEMU's: the socket of -gdb unix:SOCKET,server=on, or HOST:PORT (-s is\n"
    "                      localhost:1234). QEMU stops a machine when a debugger connects\n"
    "  -e EVENT            mem:ADDR[/LEN][:w|rw|x]: ADDR is a symbol, symbol+offset or a number\n"
    "  -g                  call chains\n"
    "  -c N                a sample for each Nth hit; 1 if none is given\n"
    "  -o FILE             where the stream goes, in place of the standard output\n"
    "      --from ADDR     the watch begins when a CPU runs there\n"
    "      --until ADDR    ... and ends when one does; a place before which it has not begun\n"
    "      --hits N        ... or after so many hits\n"
    "      --seconds N     ... or so many seconds of the host. ^C and the machine's end do it, "
    "too\n"
    "  -h, --help          this text\n"
    "\n"
    "    perf script -i FILE --vmlinux=ELF      perf report -i FILE --vmlinux=ELF\n"
    "\n"
    "What it saw, and how fast, is told on stderr. A machine that still runs is let go.\n"
    "Status: 0 a stream was written, 1 it was not, or not to the end; 2 wrong usage.\n";

static struct {
    const char *kernel, *stub, *output, *from, *until;
    const char *events[POINTS_MOST];
    unsigned event_count;
    bool chains;
    uint64_t period, hits, seconds;
} options = {.period = 1};

static volatile sig_atomic_t interrupted;

bool complain(const char *format, ...)
{
    va_list arguments;

    fputs("outside: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return false;
}

_Noreturn void assert_failed(const char *claim, const char *file, int line)
{
    fprintf(stderr, "outside: %s:%d: broken: %s\n", file, line, claim);
    abort();
}

static bool take_number(const char *name, const char *words, uint64_t *number)
{
    char *end;

    errno = 0;
    *number = strtoull(words, &end, 10);
    if (*words < '0' || *words > '9' || *end || errno || *number == 0)
        return complain("%s \"%s\": a number from 1 on is wanted", name, words);
    return true;
}

enum { OPTION_GDB = 256, OPTION_FROM, OPTION_UNTIL, OPTION_HITS, OPTION_SECONDS };

static bool take_option(int option)
{
    switch (option) {
    case 'k':
        options.kernel = optarg;
        return true;
    case OPTION_GDB:
        options.stub = optarg;
        return true;
    case 'e':
        if (options.event_count == POINTS_MOST)
            return complain("at most %u events at a time", POINTS_MOST);
        options.events[options.event_count++] = optarg;
        return true;
    case 'g':
        options.chains = true;
        return true;
    case 'c':
        return take_number("-c", optarg, &options.period);
    case 'o':
        options.output = optarg;
        return true;
    case OPTION_FROM:
        options.from = optarg;
        return true;
    case OPTION_UNTIL:
        options.until = optarg;
        return true;
    case OPTION_HITS:
        return take_number("--hits", optarg, &options.hits);
    case OPTION_SECONDS:
        return take_number("--seconds", optarg, &options.seconds);
    default:
        return false; /* getopt has said why */
    }
}

/* -1, or a status to exit with. */
static int take_options(int argc, char **argv)
{
    static const struct option known[] = {
        {"kernel", required_argument, NULL, 'k'},
        {"gdb", required_argument, NULL, OPTION_GDB},
        {"from", required_argument, NULL, OPTION_FROM},
        {"until", required_argument, NULL, OPTION_UNTIL},
        {"hits", required_argument, NULL, OPTION_HITS},
        {"seconds", required_argument, NULL, OPTION_SECONDS},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    int option;

    while ((option = getopt_long(argc, argv, "k:e:gc:o:h", known, NULL)) != -1) {
        if (option == 'h')
            return fputs(usage, stdout) < 0;
        if (!take_option(option))
            return WRONG_USAGE;
    }
    if (optind == argc && options.kernel && options.stub && options.event_count)
        return -1;
    complain("--kernel, --gdb and -e are wanted, and nothing else; -h tells more");
    return WRONG_USAGE;
}

/* QEMU tells one point of those that an access hits. */
static bool points_apart(const struct point *points, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = i + 1; j < count; j++)
            if (points[i].address < points[j].address + points[j].length &&
                points[j].address < points[i].address + points[i].length)
                return complain("%s and %s overlap: the stub would tell of one alone",
                                points[i].name, points[j].name);
    return true;
}

static bool parse_points(struct watch *watch, const struct kernel *kernel)
{
    static struct point points[POINTS_MOST];
    uint64_t size;

    for (unsigned i = 0; i < options.event_count; i++)
        if (!point_parse(&points[i], options.events[i], kernel))
            return false;
    watch->points = points;
    watch->point_count = options.event_count;
    if (options.until && !point_parse_place(options.until, kernel, &watch->until, &size))
        return false;
    return points_apart(points, options.event_count);
}

static FILE *open_output(void)
{
    FILE *file = options.output ? fopen(options.output, "wb") : stdout;

    if (!file)
        complain("%s: %s", options.output, strerror(errno));
    if (!options.output && isatty(STDOUT_FILENO)) {
        complain("the standard output is a terminal: -o FILE writes the stream to a file");
        return NULL;
    }
    return file;
}

/* --- The run. --- */

struct account {
    uint64_t hits, samples, broken; /* chains that end before the outermost caller */
    uint64_t ns;
};

static void tell(const struct watch *watch, const struct account *account)
{
    unsigned long long speed =
        account->ns ? account->hits * 1000000000ull / account->ns : account->hits;

    for (unsigned i = 0; i < watch->point_count; i++)
        fprintf(stderr, "outside: %llu hits of %s\n", (unsigned long long)watch->points[i].hits,
                watch->points[i].name);
    fprintf(stderr, "outside: %llu samples in %llu.%03llu s, %llu hits a second%s\n",
            (unsigned long long)account->samples, (unsigned long long)account->ns / 1000000000,
            (unsigned long long)account->ns / 1000000 % 1000, speed,
            watch->machine_ended ? "; the machine has ended" : "");
    if (account->broken)
        fprintf(stderr,
                "outside: %llu chains end where no caller was found: CFI is missing there\n",
                (unsigned long long)account->broken);
}

static bool watch_hits(struct watch *watch, struct account *account)
{
    static struct hit hit;
    const uint64_t start = watch_clock_ns();
    enum watch_result result = WATCH_ENDS;

    if (!watch_begin(watch))
        return false;
    while ((!options.hits || account->hits < options.hits) &&
           (result = watch_next(watch, &hit)) == WATCH_HIT) {
        account->hits++;
        if (++hit.point->hits % options.period)
            continue;
        account->samples++;
        if (!record_hit(&hit, watch_clock_ns() - start))
            account->broken++;
    }
    account->ns = watch_clock_ns() - start;
    record_end(account->ns);
    return result != WATCH_FAILS;
}

static bool run(struct watch *watch, const struct kernel *kernel, FILE *file)
{
    struct account account = {0};
    uint64_t from = 0, size;

    if (options.from && !point_parse_place(options.from, kernel, &from, &size))
        return false;
    if (!stub_connect(&watch->stub, options.stub))
        return complain("%s: %s", options.stub, watch->stub.why);
    if (options.seconds)
        watch->deadline_ns = watch_clock_ns() + options.seconds * 1000000000;
    bool done = !options.from || watch_run_to(watch, from);
    if (done) {
        record_begin(file, kernel, watch->points, watch->point_count, options.chains,
                     options.period);
        done = watch_hits(watch, &account);
        tell(watch, &account);
    }
    done &= watch_end(watch);
    stub_disconnect(&watch->stub);
    return done;
}

static void interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

int main(int argc, char **argv)
{
    static struct watch watch = {.stop = &interrupted};
    const struct sigaction action = {.sa_handler = interrupt, .sa_flags = SA_RESTART};
    struct kernel kernel;
    FILE *file;
    int status = take_options(argc, argv);

    if (status >= 0)
        return status;
    if (!kernel_open(&kernel, options.kernel) || !parse_points(&watch, &kernel) ||
        !(file = open_output()))
        return EXIT_FAILURE;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    bool done = run(&watch, &kernel, file);
    bool failed = ferror(file);
    if (fclose(file) != 0 || failed)
        done = complain("cannot write the stream: %s", strerror(errno));
    kernel_close();
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
