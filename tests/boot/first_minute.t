#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/lib/option, core/perf, core/console, kernel/console
#
# The first minute of a user who knows perf: each command either works or is answered with what to
# do instead, and the commands in such an answer work. Run from the root of the tree:
#
#     prove tests/boot/first_minute.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;

my $machine = start();
my $prompt = qr/^pitot> $/m;
$machine->expect($prompt, $patience, 'there is a prompt');

# Types a line; returns the text between it and the next prompt.
sub line
{
    my ($line) = @_;
    $machine->send("$line\n");
    return $machine->expect($prompt, $patience) =~ s/\A.*\n//r =~ s/^pitot> \z//mr;
}

my $kept = qr/^\[ perf record: \d+ records? kept/m;
my $counted = qr/^ +\d+\.\d+ seconds time elapsed$/m;
my $parts = join('|', qw(list record report script stat trace));
my $listed = qr/^    list .*^    record .*^    report .*^    script .*^    stat .*^    trace /ms;

# Typed lines, and what the answer must contain.
my @typed = (
    # Options from habit.
    ['perf record -a -g sleep 1' => $kept],
    ['perf report --stdio' => qr/^# Samples: \S+ +of event 'cpu-clock/m],
    ['perf record -F99 -a sleep 0.5' => $kept],
    ['perf record -F 99 -ag -- sleep 0.2' => $kept],
    ['perf record -agF999 sleep 0.2' => $kept],
    ['perf report --sort=comm,sym -g caller' => qr/^ +\d+\.\d\d% +\d+ +\S+ +\[/m],
    ['perf record -c100 --event=mem:kernel_flag:rw fs-stress 1' => $kept],
    ['perf record --call-graph=orc -e lock:lock_acquire fs-stress 1' => $kept],
    ['perf script --max-events=1' => qr/^perf script: the first 1 sample; there are more$/m],
    ['perf record --max-size=1' => qr/^perf record: unknown option "--max-size"; there are -e /],
    ['perf record -ae' => qr/^perf record: option -e needs a value$/],
    ['perf record -a=yes' => qr/^perf record: unknown option "-="; there are /],
    ['perf record --all-cpus=yes' => qr/^perf record: option --all-cpus takes no value$/],
    ['perf record -e mem:sleep_run:x sleep 0.01' => qr/^\[ perf record: 1 record kept \]$/m],
    ['perf stat -a sleep 1' => qr/^ Performance counter stats for 'system wide':$/m],
    ['perf stat sleep 0.01' => qr/^ Performance counter stats for 'sleep':$/m],
    ['perf stat -p 1 -e lock:lock_acquire sleep 0.01' => qr/ stats for process id '1':$/m],
    ['sleep 0.05' => qr/\A\z/],
    ['sleep' => qr/^sleep: give seconds/],
    ['sleep 1s' => qr/^sleep: give seconds/],

    # Help, in all its spellings.
    (map { [$_ => $listed] } 'perf help', 'perf --help', 'perf -h', 'help perf'),
    (map { [$_ => qr/^perf record \[OPTION\].*^    -e, --event EVENT /ms] } 'perf record -h',
        'perf record --help', 'perf help record', 'help perf record', 'perf record -a -h'),
    ['perf stat --help' => qr/^    -r, --repeat N /m],
    ['perf list -h' => qr/^perf list \[PATTERN\]/],
    ['fs-stress --help' => qr/^fs-stress .*\n    \S/],
    ['perf' => qr/^usage: perf list \| record /],

    # perf's categories.
    ['perf list sw' => qr/\A  cpu-clock.*Software event/],
    ['perf list hw' => qr/\A  branches.*Hardware event/],
    ['perf list breakpoint' => qr/\A  mem:ADDR.*Hardware breakpoint/],
    ['perf list tracepoint' => qr/\A  SYSTEM:NAME.*^  sched:sched_switch .*^  workqueue:/ms],
    ['perf list cache' => qr/^perf list: no event matches "cache"/],

    # Commands that Pitot does not have.
    ['perf recrod' => qr/^perf: "recrod" is not a perf command; near: record; `help perf` /],
    ['perf anotate' => qr/^perf: "anotate" is not a perf command; near: annotate; /],
    ['perf frobnicate' => qr/^perf: "frobnicate" is not a perf command; `help perf` /],
    ['perf lock contention' => qr/^perf lock contention: .*; perf lock contention -i /],
    ['perf lock -h' => qr/^perf lock: .*; perf lock report -i /],
    ['perf sched timehist -V' => qr/^perf sched timehist: .*; perf sched timehist -i /],
    ['perf diff' => qr/^perf diff: it takes two recordings/],
    ['perf version' => qr/^perf version: Pitot;/],
    ['perf --version' => qr/^perf version: Pitot;/],
    (map { ["perf $_" => qr/^perf \Q$_\E: \S.*\S$/] } 'bench', 'c2c', 'config', 'ftrace',
        'mem', 'probe', 'test', 'top', 'lock record', 'sched record', 'kmem record',
        'kwork record', 'timechart record', 'annotate'),
    (map { ["perf script $_" => qr/^perf: "\Q${\substr($_, 0, 1)}\E.*neither pipes nor files/] }
        '| head', '> file', '>file', '< file', '2>&1'),
    ['perf record -a sleep 1 &' => qr/^perf: "&": only a program runs in the background: `run /],
    (map { [$_ => qr/^$_: no such command; here it is poweroff; /] } qw(exit quit halt shutdown)),

    # Options that only the real perf has.
    ['perf record -o file sleep 1' => qr/^perf record: -o: the recording leaves by the serial /],
    ['perf record -t 1' => qr/^perf record: -t: -p takes the number of a thread, too$/],
    ['perf record -b sleep 1' => qr/^perf record: -b: branches are an event here: `/],
    ['perf record -dq sleep 1' => qr/^perf record: -d: each sample has its time, /],
    ['perf stat -p 1 sleep 0.01' => qr/ stats for process id '1':\n\n +\d+ +sched:sched_switch\n/],
    ['perf stat -d sleep 1' => qr/^perf stat: -d: no counter of the CPU is used: `perf list`/],
    ['perf report -i build/perf.data' => qr/^perf report: -i: here it reads the last recording; /],
    (map { ["perf report $_" => qr/^perf report: (\S+): the real perf has it: .* \1$/] }
        '-F overhead,sym', '--header', '--comm sleep', '-S fs_read'),
    (map { ["perf script $_" => qr/^perf script: (\S+)(?: \S+)?: .* perf has it: .* \1(?: |$)/] }
        '-F comm,ip', '--time 0,1', '--tid 1', '-s x.py'),

    # Commands of gdb, of ftrace and of shells.
    ['break fs_read' => qr/^break: no such command; `perf record -g -e mem:FUNCTION:x -- /],
    ['watch kernel_flag' => qr/^watch: no such command; `perf record -g -e mem:SYMBOL:rw -- /],
    (map { [$_ => qr/^\S+: no such command; memory is for gdb: make gdb on the host; `perf /] }
        'x/10i fs_read', 'p kernel_flag', 'print ticks'),
    ['continue' => qr/^continue: no such command; the machine runs, and is stopped by gdb: /],
    ['delete 1' => qr/^delete: no such command; a breakpoint ends with its recording: /],
    ['info registers' => qr/^info: no such command; here it is regs$/],
    ['info threads' => qr/^info: no such command; here it is ps$/],
    ['info breakpoints' => qr/^info: no such command; `perf list` ends with the debug registers /],
    ["echo function > current_tracer" => qr/^echo: no such command; ftrace has files, /],
    ['cat /sys/kernel/tracing/trace' => qr/^cat: no such command; ftrace has files, this prompt /],
    ['trace-cmd record -e sched' => qr/^trace-cmd: no such command; `perf record -a -e sched:/],
    ["bpftrace -e 'kprobe:fs_read {}'" => qr/^bpftrace: no such command; `perf stat -e lock:/],
    ['strace /bin/fs-load' => qr/^strace: no such command; `perf trace -- /],
    ['cat /proc/interrupts' => qr/^cat: no such command; `perf stat -a -e irq:irq_handler_entry /],
    ['cat /proc/meminfo' => qr/^cat: no such command; here it is memory$/],
    ['ls' => qr/^ +\d+ +\d+  bin\/$/m],
    ['ls /bin' => qr/^ +\d{5} +\d+  fs-load$/m],
    ['ls -l' => qr/^ls: give one directory, from \/ on: ls \/bin$/],
    ['ls /none' => qr/^ls: \/none is not a directory; `ls` lists those of \/$/],
    ['rm x' => qr/^rm: no such command; this prompt has no files and no shell: `help` lists /],
    ['top' => qr/^top: no such command; `perf record -a -- COMMAND` takes samples, /],
    (map { [$_ => qr/^\S+: no such command; it is a part of perf: type perf before it$/] }
        'record -a sleep 1', 'stat ls', 'report', 'list'),
    ['df' => qr/^df: no such command; here it is ls$/],
    ['perf recrod -o x' => qr/^perf: "recrod" is not a perf command; near: record/],
    ['?' => qr/^\?: no such command; here it is help$/],
    ['perf stat rm x' => qr/^perf stat: workload "rm" is not a command; this prompt has no /],
    ['# what is here; and there' => qr/\A\z/],
    ['sleep 0.01 # a short time' => qr/\A\z/],
    ['perf record -p 0' => qr/^perf record: pid "0": the idle threads of all CPUs have this /],
    ['perf record -p 99999' => qr/^perf record: -p 99999: no such thread; `ps` lists them$/],
);
my %offered;
for my $typed (@typed) {
    my ($line, $pattern) = @$typed;
    my $said = line($line);
    like($said, $pattern, $line);
    my ($answer) = $said =~ /^((?:perf[ \w]*|\S+: no such command)[:;] .*)/m or next;
    $offered{$1} = $line while $answer =~ /`(perf [^`]*)`/g;
}

# The commands in the answers work as printed, once the words in capitals are replaced.
my %words = (COMMAND => 'fs-stress 1', SYMBOL => 'kernel_flag', FUNCTION => 'lock_kernel',
    PATTERN => 'lock', N => '3', PID => '1', PROGRAM => 'fs-load');
cmp_ok(scalar(keys %offered), '>', 10, 'answers offer lines');
for my $line (sort keys %offered) {
    my $runs = $line =~ s/\b([A-Z]+)\b/$words{$1} \/\/ $1/ger;
    unlike(line($runs), qr/^perf(?: \w+)?: (?!the first )/m,
        "$runs, which $offered{$line} has offered, runs");
}

# --- Keys ----------------------------------------------------------------------------------------

$machine->send("perf stat -e mem:kernel_flag:\t\t");
like($machine->expect(qr/^rw  w  x\npitot> .*kernel_flag:$/m, $patience), qr/rw  w  x/,
    'TAB offers the accesses of a place');
like(line('w fs-stress 1'), qr/^ +\d+ +mem:kernel_flag:w$/m, '... and the line goes on');
like(line("\x12mem:kern"), qr/^ +\d+ +mem:kernel_flag:w$/m,
    '^R finds a line by what is in it, and runs it');
like(line("c2c\x01perf "), qr/^perf c2c: /, '^A is the line\'s beginning');
$machine->send("sleep 1000\n");
$machine->expect(qr/sleep 1000\n/, $patience);
$machine->send("\x03");
like($machine->expect($prompt, $patience), qr/\^C/, '^C ends a sleep');

$machine->send("poweroff\n");
$machine->wait_end;
done_testing();
