/* SPDX-License-Identifier: BSD-2-Clause */
/* See habits.h. linux_tools.t and first_minute.t run each line that an answer offers. */
#include "core/console/habits.h"

#include "core/host.h"
#include "core/lib/glob.h"
#include "core/lib/print.h"
#include "core/lib/string.h"

#define WORD_MOST 40  /* characters of a typed word that are compared */
#define HOST_MOST 120 /* bytes of a command line of the host */

/* In place of a command that is needed: the answer is about Pitot's own kernel or its tree. */
static const char own[] = "own";

/* Words of more than one row. */
#define STREAMED "perf record|report|script|list|trace -o|--output"
#define COUNTERS                                                                                   \
    "-e cycles*|cpu-cycles*|ref-cycles*|bus-cycles*|instructions*|cache-*|branch-misses*|L1-*|"    \
    "LLC-*|dTLB-*|iTLB-*|stalled-*|topdown-*|slots*"

/*
 * The first row that matches and holds in this kernel answers, so a row with more words stands
 * before one with fewer, and one of Pitot's own kernel before one of any. In a word, | separates
 * alternatives, * is as in a pattern of events, and ? is only itself.
 */
static const struct habit {
    const char *typed;
    const char *host;  /* command line of the real perf on the host; NULL: `here` is the answer */
    const char *here;  /* what to do here, as a sentence without its end */
    const char *needs; /* the answer is about this command, or `own`; NULL: about perf or help */
} habits[] = {
    /* --- Subcommands of perf. --- */
    {"perf annotate", "perf annotate -i build/perf.data --vmlinux=build/pitot.elf", NULL, NULL},
    {"perf archive", "perf buildid-cache -a build/pitot.elf; perf archive build/perf.data", NULL,
     NULL},
    {"perf bench", NULL, "`help` lists loads to record; make bench on the host measures Pitot",
     own},
    {"perf buildid-cache", "perf buildid-cache -a build/pitot.elf", NULL, NULL},
    {"perf buildid-list", "perf buildid-list -i build/perf.data", NULL, NULL},
    {"perf c2c", NULL,
     "`perf record -a -e mem:SYMBOL:rw -- COMMAND` has each access to a variable, and `perf report "
     "-s cpu,sym` shows the CPUs",
     NULL},
    {"perf config", NULL,
     "there is no file of settings; perf.rate= and perf.boot= stand on the kernel's command line",
     own},
    {"perf data", "perf data convert --force --to-json build/perf.json -i build/perf.data", NULL,
     NULL},
    {"perf diff", NULL,
     "it takes two recordings: make perfdata on the host after each, with a copy of the first",
     own},
    {"perf evlist", "perf evlist -i build/perf.data", NULL, NULL},
    {"perf ftrace", NULL,
     "`perf record -e branches -- COMMAND` has each call, `perf stat -e mem:FUNCTION:x -- COMMAND` "
     "counts those of one function",
     own},
    {"perf inject", "perf inject -b -i build/perf.data -o build/injected.data", NULL, NULL},
    {"perf kmem record", NULL, "`perf record -a -e kmem:* -- COMMAND`", own},
    {"perf kmem", "perf kmem -i build/perf.data --page stat", NULL, NULL},
    {"perf kwork record", NULL, "`perf record -a -e irq:*,workqueue:* -- COMMAND`", own},
    {"perf kwork", "perf kwork report -i build/perf.data", NULL, NULL},
    {"perf lock record", NULL, "`perf record -a -e lock:* -- COMMAND`", own},
    {"perf lock contention", "perf lock contention -i build/perf.data", NULL, NULL},
    {"perf lock", "perf lock report -i build/perf.data", NULL, NULL},
    {"perf mem", NULL, "`perf record -g -e mem:SYMBOL:rw -- COMMAND` has each access to a variable",
     NULL},
    {"perf probe", NULL,
     "`perf record -g -e mem:FUNCTION:x -- COMMAND` needs no probe, and `perf list tracepoint` has "
     "the places that tell more",
     NULL},
    {"perf sched record", NULL, "`perf record -a -e sched:* -- COMMAND`", own},
    {"perf sched map", "perf sched map -i build/perf.data", NULL, NULL},
    {"perf sched timehist", "perf sched timehist -i build/perf.data", NULL, NULL},
    {"perf sched", "perf sched latency -i build/perf.data", NULL, NULL},
    {"perf test", NULL, "make test on the host", own},
    {"perf timechart record", NULL, "`perf record -a -e sched:* -- COMMAND`", own},
    {"perf timechart", "perf timechart -i build/perf.data -o build/timechart.svg", NULL, NULL},
    {"perf top", NULL, "`perf record -a -- COMMAND` takes samples, and `perf report` shows them",
     NULL},
    {"perf version", NULL, "Pitot; its streams are perf's of 6.1 and later", NULL},

    /* --- Options of perf. --- */
    {"perf stat -o|--output|--append|--log-fd|-x|--field-separator|-j|--json-output", NULL,
     "counts are printed, and go to no file: the host has them in the console's log", NULL},
    {STREAMED, NULL,
     "the recording leaves by the serial port: on the host, make perfdata writes build/perf.data",
     own},
    {STREAMED, NULL,
     "the recording leaves by the member `write`: on the host, tools/perf-file STREAM perf.data "
     "has "
     "perf's file of it",
     NULL},
    {"perf report|script -i|--input", NULL,
     "here it reads the last recording; on the host, make perfdata writes build/perf.data for -i",
     own},
    {"perf report|script -i|--input", NULL, "it reads the last recording: leave it out", NULL},
    {"perf record|stat|trace -t|--tid", NULL, "-p takes the number of a thread, too", NULL},
    {"perf record|stat|report|script|list|trace -q|--quiet|-v|--verbose", NULL,
     "it always says as much as this: leave it out", NULL},
    {"perf record -b|--branch-any|-j|--branch-filter", NULL,
     "branches are an event here: `perf record -e branches -- COMMAND`", own},
    {"perf record -d|--data|-T|--timestamp|-P|--period|--sample-cpu|--phys-data", NULL,
     "each sample has its time, its CPU and its address, as perf script -F time,cpu,addr shows: "
     "leave it out",
     NULL},
    {"perf record -i|--no-inherit", NULL, "-p PID records one thread or process alone", NULL},
    {"perf record|stat -D|--delay", NULL, "`;` separates commands: sleep SECONDS; perf record ...",
     own},
    {"perf record --all-user|--user-callchains", NULL,
     "the event says it: `perf record -e cpu-clock:u -- COMMAND`", own},
    {"perf record --all-kernel|--kernel-callchains", NULL,
     "the event says it: `perf record -e cpu-clock:k -- COMMAND`", own},
    {"perf record -S|--snapshot|--switch-output|--switch-events", NULL,
     "--overwrite keeps the newest records, and --trigger EVENT ends the recording", NULL},
    {"perf record -W|--weight|-G|--cgroup|-u|--uid|-k|--clockid|-B|--no-buildid|-N|"
     "--no-buildid-cache|--kcore|--namespaces|--aio|--tail-synthesize",
     NULL, "nothing here is as that would have it: leave it out", NULL},
    {"perf stat -d|--detailed|-M|--metrics|--topdown|-T|--transaction|--smi-cost", NULL,
     "no counter of the CPU is used: `perf list` has what can be counted", NULL},
    {"perf stat -A|--no-aggr|--per-core|--per-socket|--per-die|--per-node", NULL,
     "--by cpu counts each CPU's hits: `perf stat -a -e lock:lock_acquire --by cpu -- COMMAND`",
     own},
    {"perf stat --per-thread", NULL,
     "--by comm: `perf stat -a -e lock:lock_acquire --by comm -- COMMAND`", own},
    {"perf stat --timeout", NULL, "the command sets the time: `perf stat -a sleep 1`", own},
    {"perf stat -B|--big-num|-n|--null|--no-merge|--scale", NULL,
     "it would change nothing here: leave it out", NULL},
    {"perf trace -a|--all-cpus|-C|--cpu|-u|--uid", NULL,
     "it traces the program that it runs; of all: `perf record -a -e raw_syscalls:* -- COMMAND`",
     own},
    {"perf report -F|--fields|--header|--header-only|-I|--show-info|--comm|--comms|-S|--symbols|-d|"
     "--dsos|--dso|--tid|--pid|-C|--cpu|-p|--parent|-x|--exclude-other|-G|--inverted|--children|"
     "--tui|--gtk|-k|--vmlinux|--kallsyms|-T|--threads|-t|--field-separator|-U|--hide-unresolved|"
     "-w|--column-widths|--percent-limit|--percentage|--time|--stats|--tasks|--mmaps|-b|"
     "--branch-stack|--group|--demangle|-m|--modules|--symfs|--inline|--total-period|-H|"
     "--hierarchy|--symbol-filter",
     "perf report -i build/perf.data --vmlinux=build/pitot.elf", NULL, NULL},
    {"perf script --time|--tid|--pid|-s|--script|-g|--gen-script|--comms|--comm|-S|"
     "--symbols|-d|--debug-mode|-D|--dump-raw-trace|-G|--hide-call-graph|-C|--cpu|-c|--header|"
     "--header-only|-I|--show-info|-k|--vmlinux|--kallsyms|-l|--list|-L|--Latency|--symfs|"
     "--show-task-events|--show-mmap-events|--show-switch-events|--show-lost-events|--reltime|"
     "--deltatime|--per-event-dump|--insn-trace|--xed|--ns|-a|--all-cpus|-f|--force|--inline|"
     "--demangle|--stop-bt",
     "perf script -i build/perf.data --vmlinux=build/pitot.elf", NULL, NULL},

    /* --- Events of perf. --- */
    {"-e task-clock|task-clock:*|cpu-clock:p*", NULL,
     "cpu-clock is the same here: it counts the time of COMMAND's threads", NULL},
    {COUNTERS, NULL,
     "no counter of the CPU is used: -e cpu-clock samples the time, -e branches has each branch",
     own},
    {COUNTERS, NULL, "no counter of the CPU is used: -e cpu-clock samples the time", NULL},
    {"-e page-faults*|faults*|minor-faults*|major-faults*", NULL,
     "pages are not fetched on demand: -e kmem:mm_page_alloc has the allocations", own},
    {"-e context-switches*|cs|cs:*", NULL, "it is -e sched:sched_switch here", own},
    {"-e cpu-migrations*|migrations*", NULL,
     "a thread stays on its CPU: -e sched:sched_wakeup has it as target_cpu", own},
    {"-e dummy*|bpf-output*|duration_time|user_time|system_time|alignment-faults*|"
     "emulation-faults*",
     NULL, "there is no such event: `perf list` has what can be recorded", NULL},

    /* --- perf without its first word. --- */
    {"record|stat|report|script|trace|list|annotate|archive|buildid-*|c2c|evlist|kmem|kwork|lock|"
     "probe|sched|timechart",
     NULL, "it is a part of perf: type perf before it", NULL},
    {"top|htop|atop", NULL,
     "`perf record -a -- COMMAND` takes samples, and `perf report` shows them", NULL},
    {"time", NULL, "`perf stat -- COMMAND` has the time that it took", NULL},

    /* --- gdb. --- */
    {"break|b|br|tbreak|tb|hbreak|thbreak|rbreak|dprintf|catch", NULL,
     "`perf record -g -e mem:FUNCTION:x -- COMMAND` has each call with its callers; to stop there, "
     "use gdb: make gdb on the host",
     own},
    {"break|b|br|tbreak|tb|hbreak|thbreak|rbreak|dprintf|catch", NULL,
     "`perf record -g -e mem:FUNCTION:x -- COMMAND` has each call with its callers", NULL},
    {"watch|wa|rwatch|awatch", NULL,
     "`perf record -g -e mem:SYMBOL:rw -- COMMAND` has each access with its callers, and "
     "mem:SYMBOL:w each write",
     NULL},
    {"x|x/*|p|p/*|print|print/*|output|printf|display|inspect|call|ptype|whatis", NULL,
     "memory is for gdb: make gdb on the host; `perf record -e mem:SYMBOL:w -e breakpoint:hit -- "
     "COMMAND` has a variable's old and new values",
     own},
    {"x|x/*|p|p/*|print|print/*|output|printf|display|inspect|call|ptype|whatis", NULL,
     "memory is for gdb; `perf record -g -e mem:SYMBOL:w -- COMMAND` has each write of a variable",
     NULL},
    {"disassemble|disas|l|edit|set|layout|tui", NULL, "code is for gdb: make gdb on the host", own},
    {"info|i reg|regs|registers|r|all-registers", NULL, "here it is regs", "regs"},
    {"info|i threads|thread|th|processes", NULL, "here it is ps", "ps"},
    {"info|i b|br|break|breakpoints|watchpoints", NULL,
     "`perf list` ends with the debug registers and who holds them", NULL},
    {"info|i stack|s|frame", NULL, "here it is bt", "bt"},
    {"info|i sym*|line|address|functions|variables", NULL,
     "TAB completes the names of functions and variables: perf stat -e mem:", own},
    {"thread|t|frame|f|up|down|backtrace|where", NULL,
     "bt shows this thread's calls, bt PID another's; ps lists the threads", "bt"},
    {"continue|c|step|s|next|n|stepi|si|nexti|ni|finish|fin|until|advance|start|jump", NULL,
     "the machine runs, and is stopped by gdb: make gdb on the host; `perf record -e branches -- "
     "COMMAND` has each branch that it takes",
     own},
    {"delete|del|d|clear|disable|enable|condition|commands|tb", NULL,
     "a breakpoint ends with its recording: `perf list` shows who holds the debug registers", NULL},
    {"gdb|lldb|target|attach|detach|file|symbol-file|add-symbol-file|monitor|kdb|kgdb|crash-"
     "utility",
     NULL, "gdb runs on the host: make gdb there", own},

    /* --- ftrace and others that trace. --- */
    {"echo|sysctl|tee", NULL,
     "ftrace has files, this prompt has events: `perf list tracepoint` lists them, `perf record -a "
     "-e sched:* -- COMMAND` records them, `perf record -e branches -- COMMAND` has each call",
     own},
    {"trace-cmd|lttng|kernelshark|perfetto", NULL,
     "`perf record -a -e sched:*,irq:* -- COMMAND` records tracepoints, and `perf script` prints "
     "them",
     own},
    {"bpftrace|bcc|stap|dtrace|ply|*funccount|*funclatency|*argdist|*hist", NULL,
     "`perf stat -e lock:lock_acquire --by name -- COMMAND` counts by a key, --hist FIELD is a "
     "histogram, --from EVENT --to EVENT a latency",
     own},
    {"strace|ltrace|truss|ktrace", NULL, "`perf trace -- /bin/PROGRAM`", own},
    {"cat|less|more|head|tail|grep|ls|cd /sys/*|/debug/*|current_tracer|trace|trace_pipe|"
     "available_events|set_*",
     NULL,
     "ftrace has files, this prompt has events: `perf list tracepoint` lists them, `perf record -a "
     "-e sched:* -- COMMAND` records them, `perf script` prints them",
     own},

    /* --- Shells. --- */
    {"cat|less|more|head|tail|grep /proc/interrupts", NULL,
     "`perf stat -a -e irq:irq_handler_entry --by irq -- COMMAND` counts them", own},
    {"cat|less|more|head|tail|grep /proc/cpuinfo|/proc/stat|/proc/schedstat", NULL,
     "here it is cpus", "cpus"},
    {"cat|less|more|head|tail|grep /proc/meminfo|/proc/buddyinfo|/proc/slabinfo|/proc/vmstat", NULL,
     "here it is memory", "memory"},
    {"cat|less|more|head|tail|grep /proc/kallsyms", NULL,
     "TAB completes symbols: perf stat -e mem:; on the host, nm build/pitot.elf lists them", own},
    {"cat|less|more|head|tail|grep /proc/lock*", NULL,
     "`perf stat -a -e lock:lock_acquire --by name -- COMMAND` counts them", own},
    {"cat|less|more|head|tail|grep|ls /proc/*|/proc", NULL,
     "ps lists the threads, cpus the CPUs, memory the free memory, bt PID a thread's calls", own},
    {"nproc|lscpu|mpstat|numactl|taskset", NULL, "here it is cpus", "cpus"},
    {"free|vmstat|slabtop|meminfo|mem", NULL, "here it is memory", "memory"},
    {"jobs|pgrep|pidof|pstree|uptime|w|who", NULL, "here it is ps", "ps"},
    {"fg|bg|nohup|disown|suspend", NULL,
     "`run PROGRAM &` runs one in the background, wait PID waits for it, kill -CONT PID continues "
     "one",
     own},
    {"pkill|killall|skill|xkill", NULL, "kill PID ends a program; ps lists them", own},
    {"sh|bash|zsh|dash|exec|source|.|./*|sudo|su|doas|env|nice", NULL,
     "programs are run by run PROGRAM; run alone lists them", own},
    {"exit|quit|q|halt|shutdown|logout|init", NULL, "here it is poweroff; `help` lists all",
     "poweroff"},
    {"reset", NULL, "here it is reboot; ^L clears the screen", own},
    {"cls", NULL, "^L clears the screen", own},
    {"history", NULL, "Up and ^R find the lines that were typed before", own},
    {"man|info|apropos|h|?", NULL, "here it is help", NULL},
    {"dmesg|journalctl|syslog", NULL, "there is no log: the console has shown each message", NULL},
    {"uname|arch|lsb_release", NULL, "Pitot; `perf version` says more", NULL},
    {"make|gcc|cc|nm|objdump|addr2line|readelf|size|qemu*|python*|perl|ssh|scp|apt*", NULL,
     "that runs on the host", NULL},
    {"df|du|find", NULL, "here it is ls", "ls"},
    {"cat|less|more|head|tail|grep|ls|ll|dir|cd|pwd|find|df|du|cp|mv|rm|mkdir|rmdir|touch|vi|vim|"
     "nano|emacs|mount|umount|wc|sort|uniq|awk|sed|diff|which|type|alias|export|test|lsmod|"
     "modprobe|insmod|ip|ifconfig|ping|date|hostname|whoami|id",
     NULL, "this prompt has no files and no shell: `help` lists what it has", NULL},
};
#define HABITS (sizeof(habits) / sizeof(habits[0]))

/* Compares a typed word with the alternatives of the row's word, which ends at a blank. */
static bool word_matches(const char *row, const char *typed)
{
    char one[WORD_MOST + 1];

    for (; *row != '\0' && *row != ' '; row += *row == '|') {
        size_t length = 0;

        for (; *row != '\0' && *row != ' ' && *row != '|'; row++)
            if (length < WORD_MOST)
                one[length++] = *row;
        one[length] = '\0';
        if (strcmp(one, typed) == 0 || (!strchr(one, '?') && glob_match(one, typed)))
            return true;
    }
    return false;
}

/* Returns the row's number of words if all of them match; otherwise 0. */
static size_t row_matches(const char *row, const char *const *typed, size_t count)
{
    for (size_t words = 0;; words++) {
        if (words == count || !word_matches(row, typed[words]))
            return 0;
        while (*row != '\0' && *row != ' ')
            row++;
        if (*row++ == '\0')
            return words + 1;
    }
}

static bool holds(const struct habit *habit, bool (*has)(const char *command))
{
    if (habit->needs == own)
        return own_kernel;
    return !habit->needs || (has && has(habit->needs));
}

static const struct habit *find(const char *const *typed, size_t count,
                                bool (*has)(const char *command), size_t *words)
{
    for (size_t i = 0; i < HABITS; i++) {
        *words = row_matches(habits[i].typed, typed, count);
        if (*words > 0 && holds(&habits[i], has))
            return &habits[i];
    }
    return NULL;
}

/* Copies the line without this tree's folder; the image of another kernel is KERNEL. */
static void write_for_another(const char *line, char *text, size_t size)
{
    static const char folder[] = "build/", elf[] = "pitot.elf";
    size_t length = 0;

    while (*line != '\0' && length + 1 < size) {
        if (strncmp(line, folder, strlen(folder)) == 0) {
            line += strlen(folder);
        } else if (strncmp(line, elf, strlen(elf)) == 0) {
            length += print_into(text + length, size - length, "KERNEL");
            line += strlen(elf);
        } else {
            text[length++] = *line++;
        }
    }
    text[length] = '\0';
}

static void answer(const struct habit *habit, const char *option, char *text, size_t size)
{
    char line[HOST_MOST];

    if (!habit->host) {
        print_into(text, size, "%s", habit->here);
        return;
    }
    if (own_kernel)
        print_into(line, sizeof(line), "build/com2.bin build/perf.data; %s", habit->host);
    else
        write_for_another(habit->host, line, sizeof(line));
    print_into(text, size, "the real perf has it: on the host, tools/perf-file %s%s%s%s",
               own_kernel ? ""
                          : "STREAM perf.data, of the bytes that the member `write` gets; then ",
               line, option ? " " : "", option ? option : "");
}

size_t habit_answer(const char *const *typed, size_t count, bool (*has)(const char *command),
                    char *text, size_t size)
{
    size_t words;
    const struct habit *habit = find(typed, count, has, &words);

    if (!habit)
        return 0;
    answer(habit, NULL, text, size);
    return words;
}

size_t habit_answer_option(const char *part, const char *option, char *text, size_t size)
{
    const char *const typed[] = {"perf", part, option};
    size_t words;
    const struct habit *habit = find(typed, 3, NULL, &words);

    if (!habit || words < 3)
        return 0;
    answer(habit, option, text, size);
    return words;
}

void habit_answer_host(const char *part, const char *option, char *text, size_t size)
{
    char line[HOST_MOST];
    const struct habit habit = {.host = line};

    print_into(line, sizeof(line), "perf %s -i build/perf.data --vmlinux=build/pitot.elf", part);
    answer(&habit, option, text, size);
}

const char *habit_perf_part(size_t index)
{
    static const char perf[] = "perf ";

    for (size_t i = 0; i < HABITS; i++) {
        const char *part = habits[i].typed + strlen(perf);

        if (strncmp(habits[i].typed, perf, strlen(perf)) == 0 && !strchr(part, ' ') &&
            holds(&habits[i], NULL) && index-- == 0)
            return part;
    }
    return NULL;
}
