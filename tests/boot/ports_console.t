#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: ports/c, core/embed, core/pitot.h, arch/embed, core/perf, core/console
#
# The console's commands in a kernel that is not Pitot's own (docs/porting.md, level 4): they come
# from its command line, `work` is a command of that kernel, and the real perf reads the stream of
# `perf record`. Run from the root of the tree:
#
#     prove tests/boot/ports_console.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use List::Util qw(sum0);
use Test::More;
use Pitot::Files;
use Pitot::Port;
use Pitot::Transcript;

plan skip_all => "it is started by QEMU's -kernel" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/ports_console";
my $one = "$build/ports/c-level4-tables.elf";
my $jobs = 60; # of the three workers

make_path($logs);

# The commands' outputs, one each.
sub run_lines
{
    my ($kernel, $cpus, @lines) = @_;
    my ($status, $console) = boot_port($kernel, join(';', @lines), $cpus, $logs);
    is($status, 1, join('; ', @lines) . ': the kernel runs to its end') or diag($console);
    my @said = split(/^\$ ?(?=\w)/m, $console =~ s/^\d+ jobs\n\z//mr);
    shift(@said); # before the first
    return map { s/^.*\n//r } @said;
}

# --- A recording, read here and there -------------------------------------------------------------

my $record = 'perf record -z -e mem:jobs_done:w -e shop:job_done -g -- work';
my ($summary, $report, $script, $stat, $list, $help) = run_lines($one, 1, $record,
    'perf report -g caller', 'perf script', 'perf stat -e shop:job_done --by worker -- work',
    'perf list', 'help');
is($summary, "[ perf record: ${\(2 * $jobs)} records kept ]\n", 'all records are kept');
same_lines_ok(report_lines($report),
    report_lines(perf_of_port($one, $logs, 'report', '--stdio', '-F', 'overhead,sample,sym', '-g',
            'caller')),
    'perf report says what the real perf does');
my @here = samples($script);
is(scalar(@here), 2 * $jobs, 'perf script has all samples');
my @there = samples(perf_of_port($one, $logs, 'script', '-F',
        'comm,tid,cpu,time,period,event,ip,sym,symoff'));
is_deeply([map { [@$_{qw(comm tid event chain)}] } @here],
    [map { [@$_{qw(comm tid event chain)}] } @there], '... and those of the real perf');
like($stat, qr/^ Performance counter stats for 'work':$/m, 'perf stat counts a command');
is_deeply({reverse($stat =~ /^ +(\d+) {6}(baker|cook|smith)$/mg)},
    {map { ($_ => $jobs / 3) } qw(baker cook smith)}, '... by the thread that has done the job');
like($list, qr/^  shop:job_done  +unsigned int job, char worker\[\]$/m,
    "perf list has the kernel's tracepoints");
unlike($list, qr{breakpoint:hit|mem:/|branches|TAB|\[:u\|:k\]\s+\[Hard},
    '... and nothing that only Pitot\'s own kernel has');
like($help, qr/^  work +makes all jobs$/m, "help has the kernel's commands");

# --- TAB ------------------------------------------------------------------------------------------

# ports/c/variants/tab.c: `tab LINE` prints what TAB makes of the line, and several candidates.
# `hire` says what may follow it. The first work makes the threads.
my @typed = (
    ['perf rec', "perf record |\n"],
    ['perf tr', "perf trace |\n"],
    ['perf s', "perf s|\nscript\nstat\n"],
    ['ver', "version |\n"],
    ['help perf li', "help perf list |\n"],
    ['perf record -e mem:jobs_d', "perf record -e mem:jobs_done|\n"],
    ['perf record -e mem:jobs_done:', "perf record -e mem:jobs_done:|\nrw\nw\nx\n"],
    ['perf record -e mem:/bin/', "perf record -e mem:/bin/|\n"],
    ['perf stat -e cpu-clock,shop:', "perf stat -e cpu-clock,shop:|\nshop:job_done\nshop:tick\n"],
    ['perf stat -e ', "perf stat -e |\ncpu-clock\nmem:\npitot:mark\nshop:job_done\nshop:tick\n"],
    ['perf report --sort=c', "perf report --sort=c|\ncomm\ncpu\n"],
    ['perf record -g -- wo', "perf record -g -- work |\n"],
    ['hire ', "hire apprentice |\n"],
    ['perf record -p ', "perf record -p |\n"],
    ['nosuch ', "nosuch |\n"],
);
my @tabs = run_lines($one, 1, map { "tab '$_->[0]'" } @typed);
is($tabs[$_], $typed[$_][1], "TAB after '$typed[$_][0]'") for 0 .. $#typed;
@tabs = run_lines($one, 1, 'work', map { "tab '$_'" } 'hire ', 'perf record -p ', '/bin/');
is($tabs[1], "hire |\nbaker\ncook\nsmith\n", 'words of a command may change');
is($tabs[2], "perf record -p |\n1\n2\n3\n", '... and threads come');
is($tabs[3], "/bin/|\n", '... but there are no programs');

my ($version) = slurp('core/abi/version.h') =~ /PITOT_VERSION "(.*)"/;
my ($id) = `readelf -n $one` =~ /Build ID: ([0-9a-f]{40})$/m;
is(join('', run_lines($one, 1, 'version')), "Pitot $version, build id $id\n", 'version');
is(join('', run_lines("$build/ports/c-level4-tickless-tables.elf", 1, 'version')),
    "Pitot $version; this kernel has no build id\n", '... of a kernel that has none');

my ($plain) = run_lines($one, 1, 'perf stat -- work');
like($plain, qr/^ +[\d.]+ msec cpu-clock/m, 'perf stat without -e counts what there is');

# --- Beside pitot_start ---------------------------------------------------------------------------

# The real perf reads one stream with three recordings.
my @both = run_lines($one, 1, 'perf record -z -e mem:jobs_done:w -- work', 'begin', 'work', 'end',
    'perf record -e mem:jobs_done:w -- work');
is($both[3], "$jobs records\n0 doubtful hits\n", 'pitot_start records between commands');
my %events;
$events{$_->{event}}++
    for samples(perf_of_port($one, $logs, 'script', '-F', 'comm,tid,cpu,time,period,event,ip'));
is_deeply(\%events, {'mem:jobs_done:w' => 2 * $jobs, 'shop:job_done' => $jobs},
    '... and all that was recorded is in one stream');

# --- With threads (level 6) -----------------------------------------------------------------------

# ports/c/variants/commands.c: `rest` takes 100 ticks of a millisecond. The ring holds about 20.
my $threads = "$build/ports/c-level6-tables.elf";
my ($intervals, $streamed) = run_lines($threads, 1, 'perf stat -I 20 -e shop:tick -- rest',
    'perf record -m 1 -e shop:tick -- rest');
my @each = $intervals =~ /^ +0\.\d+ +(\d+) +shop:tick$/mg;
like($intervals, qr/^100 ticks$/m, 'a command prints by pitot_print');
cmp_ok(scalar(@each), '>=', 5, 'perf stat -I prints intervals while the command runs');
cmp_ok(sum0(@each), '>=', 100, '... which make all ticks');
is(scalar(grep { $_ > 22 } @each), 0, "... none of which is longer: @each");
my ($kept, $gone) = $streamed
    =~ /^\[ perf record: (\d+) records kept, (\d+) of them in the stream only \]$/m;
cmp_ok($kept // 0, '>=', 100, 'a recording that runs is streamed: more is kept than a ring has');
cmp_ok($gone // 0, '>', 50, '... most of it gone from the ring');
is(scalar(samples(perf_of_port($threads, $logs, 'script', '-F',
                'comm,tid,cpu,time,period,event,ip'))), $kept, '... and perf has all of it');
my ($rushed, $paced) = run_lines($threads, 1, 'perf record -F 1000 -e mem:rush_writes:w -- rush',
    'perf script');
like($rushed, qr/^the last write is 20100$/m, 'many writes, then 100, one at each tick');
my ($rush, @later) = map { $_->{time} } samples($paced);
cmp_ok(scalar(grep { $_ > $rush + 0.020 } @later), '>=', 5,
    '... which -F 1000 samples, too, as the ticks adjust its period');
my ($refused) = run_lines($one, 1, 'perf stat -I 20 -e shop:tick -- work');
is($refused, "perf stat: -I: thread_start, wait or wake of struct pitot_kernel is 0\n",
    'without threads there are no intervals');

# --- With system calls ----------------------------------------------------------------------------

# ports/c/variants/calls.c: `calls` makes four, one of them not in its table.
my $with_calls = "$build/ports/c-calls-tables.elf";
my ($calls, $reads, $sums, $none_such) = run_lines($with_calls, 1, 'perf trace -- calls',
    'perf trace -e read -- calls', 'perf trace -s -- calls', 'perf trace -e stat -- calls');
my @each_call = $calls =~ m{^ +[\d.]+ \( +[\d.]+ ms\): boot/\d+ (.*)$}mg;
is_deeply([map { s/ {2,}/ /r } @each_call], ['open(filename: "/etc/motd", flags: 0x42) = 3',
        'read(fd: 3, buf: 0x1000, count: 12) = 12',
        'open(filename: "/a/path/of/more/than/thirty...") = -1 ENOENT (No such file or directory)'],
    'perf trace has the calls of the table: arguments, paths, results');
is(join(' ', $reads =~ /: boot\/\d+ (\w+)\(/g), 'read', '... -e those that it names');
like($sums, qr/^ +open +2 +1 /m, '... -s their sums, with errors');
like($none_such, qr/no system call "stat"; there are read, write, open$/m,
    '... and refuses others');
run_lines($with_calls, 1, 'perf record -e raw_syscalls:sys_* -- calls');
is_deeply([map { s/\([^,]{9,},/(PATH,/r }
            perf_of_port($with_calls, $logs, 'script', '-F', 'event,trace')
            =~ m{^ *raw_syscalls:sys_enter: (NR .*?) *$}mg],
    ['NR 2 (PATH, 42, 0, 0, 0, 0) /etc/motd', 'NR 0 (3, 1000, c, 0, 0, 0)',
        'NR 2 (PATH, 0, 0, 0, 0, 0) /a/path/of/more/than/thirty...', 'NR 99 (1, 2, 3, 0, 0, 0)'],
    '... and the real perf has all');

# It knows the thread 7, which has no name; without its task_find, -p finds those that have one.
my ($nameless, $unknown) =
    run_lines($with_calls, 1, map { "perf record -e shop:job_done -p $_ -- work" } 7, 8);
is($nameless, "[ perf record: 0 records kept ]\n", '-p finds a thread by the task_find given');
is($unknown, "perf record: -p 8: no such thread\n", '... and no other');
my ($unfound) = run_lines("$build/ports/c-tells-tables.elf", 1,
    'perf record -e shop:job_done -p 7 -- work');
is($unfound, "perf record: -p: task_find of struct pitot_kernel is 0\n",
    '... and is refused in a kernel that tells its threads without it');

# --- After a reset (level 7) ----------------------------------------------------------------------

# ports/c/variants/commands.c: `restart` resets the machine in the first boot, not in the second.
my $kept_elf = "$build/ports/c-level7-tables.elf";
my (undef, $again) = boot_port($kept_elf, join(';', 'perf report --last-boot -s sym',
        'perf record -e mem:jobs_done:w -- work', 'restart'), 1, $logs, '-action', 'reboot=reset');
my @boots = split(/^a kernel of its own$/m, $again);
is(scalar(@boots) - 1, 2, 'a kernel that resets the machine boots twice');
like($boots[1] // '',
    qr/^perf report: the last boot's recording is not here: the machine was switched on/m,
    '... at first there is no last boot');
like($boots[2] // '',
    qr/^Pitot: the last boot's recording is here: $jobs samples, ended by a reset/m,
    '... and then its recording is here');
like($boots[2] // '', qr/^ +100\.00% +$jobs +\[k\] job_finish/m, '... and perf report reads it');

# --- Many CPUs ------------------------------------------------------------------------------------

($summary, $script) = run_lines("$build/ports/c-level4-two-tables.elf", 2,
    'perf record -e mem:jobs_done:w -- work', 'perf script');
my %hits;
$hits{int($_->{cpu})}++ for samples($script);
is_deeply(\%hits, {0 => $jobs, 1 => $jobs / 3}, 'the hits of both CPUs');

# --- On a stack of its own ------------------------------------------------------------------------

# ports/c/variants/small_stack.c prints how much of the stack each command used, and what changed
# below it. The kernel's own interrupts may take a tenth of the number in the header.
my ($room) = slurp('core/pitot.h') =~ /^#define PITOT_COMMAND_STACK (\d+)$/m;
my $small = "$build/ports/c-level4-small-tables.elf";
my @deep = ('perf record -z -e mem:jobs_done:w -e shop:job_done -g --intr-regs -- work',
    'perf report -g caller -s comm,cpu,sym', 'perf report -D', 'perf script -F +iregs', 'perf list',
    'perf stat -e mem:jobs_done:w,mem:jobs_done/4:rw,shop:job_done --by worker -- work',
    'perf record -e cpu-clock -F 1000 -g --verify-chain -- work', 'perf record -e mem:nosuch:w',
    q{perf record -e shop:job_done --filter 'job == x' -- work}, 'perf report --nosuch',
    'perf record -e shop:job_done -- work', 'perf report -s job,worker', 'perf report -s nosuch',
    'wrok', 'help perf record', q{tab 'perf record -e mem:jobs_'}, 'begin', 'work', 'end',
    'perf record -e foo:nosuch -- work', 'perf stat -e qq:qqqqqqqq -- work');
for my $part ([@deep[0 .. 5]], [@deep[6 .. 9]], [@deep[10 .. $#deep]]) {
    my @told = run_lines($small, 1, @$part);
    for my $i (0 .. $#$part) {
        my ($used, $below) = $told[$i] =~ /^stack: (\d+) bytes, (\d+) below it\n\z/m;
        cmp_ok($used // $room, '<=', $room * 9 / 10, "$part->[$i]: as core/pitot.h says");
    }
}
my $short = "fewer than $room bytes of the stack are left: call pitot_command on a larger one";
for my $bytes (512, 4096, $room) {
    my ($told) = run_lines($small, 1, "on $bytes perf report -g caller");
    like($told, qr/^pitot: $short\nstack: \d+ bytes, 0 below it\n\z/,
        "a stack of $bytes bytes: refused, and nothing below it is written");
}
# This kernel has no tables either, but the stack is checked first.
my ($told) = run_lines("$build/ports/c-level4-small.elf", 1, 'on 4096 perf list');
like($told, qr/^pitot: $short\n/, '... before anything else is looked at');

# --- Refusals -------------------------------------------------------------------------------------

my @refusals = (
    ['perf record', qr/^perf record: nothing would end it: add -- COMMAND$/],
    ['perf record -e mem:jobs_don:w -- work', qr/: no symbol "jobs_don"; near: jobs_done/],
    ['perf record -e mem:embed_debug_entry:x -- work', qr/the trap entry code/],
    ['perf record -m 4M -- work', qr/MEMORY of make lib is 1048576$/],
    ['perf record -- play', qr/workload "play" is not a command/],
    ['perf trace -- work', qr{: calls of struct pitot_kernel is 0: the system calls are unknown$}],
    ['perf record -p 9 -- work', qr/^perf record: -p 9: no such thread/],
    ['wrok', qr/^wrok: no such command; near: work/],
    ['work ' . 'x ' x 40, qr/^pitot: more than 32 arguments/],
);
# Features that only Pitot's own kernel has are not offered.
my @others = (
    ['perf', qr/^usage: perf list \| record \| report \| script \| stat \| trace$/],
    ['perf record -e breakpoint:hit -- work', qr/: unknown event "breakpoint:hit"; near: /],
    ['perf record -e mem:jobs_done:w --filter old==0 -- work', qr/has no fields$/],
    ['perf record -e mem:jobs_done:w --by old -- work', qr/no fields, only comm, cpu and caller$/],
    ['perf annotate',
        qr/perf-file STREAM perf\.data, .*; then perf annotate -i perf\.data --vmlinux=KERNEL$/],
    ['perf report -S a', qr/; then perf report -i perf\.data --vmlinux=KERNEL -S$/],
    ['perf script -F comm,ip', qr/; then perf script -i perf\.data --vmlinux=KERNEL -F comm,ip$/],
    ['perf recrod -o x', qr/^perf: "recrod" is not a perf command; near: record/],
    ['perf record -e shop:jobdone -- work', qr/"shop:jobdone"; near: shop:job_done$/],
);
for my $some (\@refusals, \@others) {
    my @said = run_lines($one, 1, map { $_->[0] } @$some);
    like($said[$_], $some->[$_][1], "$some->[$_][0]: refused") for 0 .. $#$some;
}
# Neither is what only its source tree has, to users of perf, gdb and a shell.
my @habits = ('perf report -S a', 'perf report --header', 'perf script -F comm,ip',
    'perf record -o f -- work', 'break main', 'p x', 'perf test', 'perf config', 'perf ftrace',
    'perf record -b -- work', 'perf record -e cs -- work', 'echo x', 'cat /proc/kallsyms',
    'work | x', 'work &', 'perf record -e cycles -- work', 'perf kmem record');
for my $part ([@habits[0 .. 8]], [@habits[9 .. $#habits]]) {
    my @said = run_lines($one, 1, @$part);
    for my $i (0 .. $#$part) {
        like($said[$i], qr/: /, "$part->[$i]: answered");
        unlike($said[$i], qr/make |build\/|branches|TAB|sched:|kmem:\*|run PROGRAM/,
            '... without what is not there');
    }
}

# ports/c/variants/words.c calls pitot_run_words, and never pitot_command.
my ($first, $second) = run_lines("$build/ports/c-level4-words-tables.elf", 1,
    'perf stat -e shop:job_done -- work', 'perf stat -e mem:jobs_done:w -- work');
like($first, qr/^completed by: t $/m, 'TAB before the first command');
like($first, qr/^ +$jobs +shop:job_done$/m, 'a kernel that splits its lines: its first command');
like($second, qr/^ +$jobs +mem:jobs_done:w$/m, '... and the next');

my ($none) = run_lines("$build/ports/c-level4.elf", 1, 'perf list');
is($none, "pitot: the tables are missing (pitot-tables)\n", 'without tables none is run');
# Uses the host's clock, as the wait is long.
my (undef, $deaf) = boot_port("$build/ports/c-level4-deaf-tables.elf", 'perf list', 2, $logs,
    '-accel', 'tcg,thread=multi');
like($deaf, qr/^pitot: CPU 1: it does not answer interrupt_others by pitot_stand$/m,
    'nor where a CPU would miss hits');

my ($timeless, $timed) = run_lines("$build/ports/c-level4-tickless-tables.elf", 1,
    'perf record -e cpu-clock -- work', 'perf record -e shop:job_done -- work');
like($timeless, qr/^pitot: no samples by time: pitot_tick was not called$/m,
    'a recording by time, in a kernel without ticks');
unlike($timed, qr/pitot_tick/, '... others do not need them');

my $dropped = `make -s BUILD=$build $build/ports/c-level4-dropped.elf 2>&1`;
like($dropped, qr/undefined reference to `__start_pitot_commands'/,
    'a linker script that drops the commands: the linker says so');

done_testing();
