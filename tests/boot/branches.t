#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/perf/targets, core/event/source_branches, arch/x86_64/debug/branch
#
# Branches by single steps, as the console and as the real perf see them: of a whole command, in a
# window that a breakpoint opens, before a trigger, before a crash; and refusals.
# tests/kernel/branches_suite.c tests that each branch of a known function is reported, and no
# other. Run from the root of the tree:
#
#     prove tests/boot/branches.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Transcript;

my $fields = 'comm,tid,cpu,time,period,event,ip,sym,symoff,addr';

# The branches in the output of `perf script`: {tid, event, from, to}, functions with offsets. Also
# other samples, which have no `to`; for those perf prints the watched address first.
my $place = qr/ *(?:[0-9a-f]+ +)?[0-9a-f]+ ([^\s+]+\+0x\w+)(?: => +[0-9a-f]+ (\S+))?/;

sub branches_of
{
    my ($text) = @_;
    my @branches;
    for (split(/\n/, $text)) {
        my ($tid, $event, $from, $to) = /^\s*\S+ +(\d+) \[\d+\] +[\d.]+: +\d+ +(\S+): $place/
            or next;
        push(@branches, {tid => $tid, event => $event, from => $from, to => $to});
    }
    return @branches;
}

sub function
{
    my ($place) = @_;
    return $place =~ s/\+0x[0-9a-f]+$//r;
}

# The numbers that `perf record` printed of its recording: kept, stepped, windows.
sub summary
{
    my ($said) = @_;
    my ($kept) = $said =~ /^\[ perf record: (\d+) records? kept/m;
    my ($stepped) = $said =~ /, (\d+) instructions? stepped/;
    my ($windows) = $said =~ / in (\d+) windows?/;
    return ($kept // -1, $stepped // -1, $windows);
}

# --- A command -----------------------------------------------------------------------------------

my $whole = 'perf record -a -m 4m -e branches -- memory';
my $newest = 'perf record -a -m 8k --overwrite -e branches -- fs-stress 1';
my $few = 'perf record -a -e branches/window=100/ -- fs-stress 1';
my $count = 'perf stat -a -e branches -- fs-stress 1';
my $machine = boot(icount => 1,
    run => join('; ', $whole, 'perf script', 'perf report', $newest, 'perf script', $few,
        'perf script', $count, 'perf list', 'poweroff'));
ended_ok($machine);
my @all = branches_of(said($machine, 'perf script'));
my ($kept, $stepped) = summary(said($machine, $whole));
is(scalar(@all), $kept, 'each record is a branch');
cmp_ok($stepped, '>', 2 * $kept, '... and fewer than instructions');
is(function($all[1]{to}), 'command_run', 'the first lead into the command');
ok((grep { $_->{to} eq 'memory_run+0x0' } @all), '... which is called');
is(function($all[-1]{to}), 'branches_workload_end', 'the last lead out of it');
is_deeply([grep { !defined $_->{to} } @all], [], 'all have from and to');

# If a branch does not start where the last one led, instructions without branches ran in between,
# within one function.
my @jumps = grep { function($all[$_]{from}) ne function($all[$_ - 1]{to}) } 1 .. $#all;
is(scalar(@jumps), 0, 'each begins in the function that the one before led to');

my @lines = script_lines(scalar perf_script($machine, '-F', $fields));
my $ours = script_lines(join('', map { said($machine, 'perf script', $_) } 1 .. 3));
same_lines_ok($ours, @lines, 'perf script: the kernel prints the lines that perf prints');
my ($theirs, $complaints, $status) =
    perf_report($machine, '--no-children', '-F', 'overhead,sample,sym');
is($status, 0, 'perf report reads it');
like($theirs, qr/^# Samples: \S+ +of event 'branches'$/m, '... as the event that it knows');
like(said($machine, 'perf report'), qr/^# Samples: \S+ +of event 'branches'$/m, '... as do we');

my @tail = branches_of(said($machine, 'perf script', 2));
cmp_ok(scalar(@tail), '<=', 8192 / 56, '--overwrite: as many as the ring holds');
cmp_ok(scalar(@tail), '>', 8192 / 56 - 4, '... and hardly fewer');
is($tail[-1]{to}, 'branches_workload_end+0x0', '... the newest of them');
like(said($machine, $newest), qr/\d\d\d\d+ overwritten/, '... thousands of others are gone');

is((summary(said($machine, $few)))[1], 100, 'window=100: a hundred instructions');
my @first = branches_of(said($machine, 'perf script', 3));
cmp_ok(scalar(@first), '>', 3, '... with the branches among them');
cmp_ok(scalar(@first), '<', 100, '... and no others');
my ($counted) = said($machine, $count) =~ /^ +(\d+) +branches$/m;
cmp_ok($counted // 0, '>', 10000, 'perf stat counts them');
like(said($machine, 'perf list'), qr/^  branches\[:k\|:u\] OR branch-instructions /m, 'perf list');

# --- Windows, threads, triggers ------------------------------------------------------------------

# Records in a boot of its own: returns the machine, and the branches that perf reads.
sub recorded
{
    my ($record, @more) = @_;
    my $booted = boot(run => join('; ', $record, @more, 'poweroff'));
    ended_ok($booted, "$record: the machine is switched off");
    return ($booted, branches_of(scalar perf_script($booted, '-F', $fields)));
}

my $stat = 'perf stat -a -e mem:fs_unlink:x,mem:kernel_flag:w -- fs-stress';
my $call = 'perf record -a -m 4m -e branches/window=20/ --start mem:fs_unlink:x -- fs-stress';
($machine, my @called) = recorded($call, $stat);
my %hits = reverse said($machine, $stat) =~ /^ +(\d+) +(mem:\S+)$/mg;
my @opened = grep { $called[$_]{event} eq 'mem:fs_unlink:x' } 0 .. $#called;
is(scalar(@opened), $hits{'mem:fs_unlink:x'}, 'each call of the function opens a window');
(undef, $stepped, my $windows) = summary(said($machine, $call));
is($windows, scalar(@opened), '... as is said');
is($stepped, 20 * $windows, '... of so many instructions');
is_deeply([map { function($called[$_ + 1]{from}) } @opened], [map { 'fs_unlink' } @opened],
    '... the first branch is the function\'s own');

my $store = 'perf record -a -m 4m -e branches/window=20/ --start mem:kernel_flag:w -- fs-stress';
($machine, my @stored) = recorded($store);
my @writes = grep { $stored[$_]{event} eq 'mem:kernel_flag:w' } 0 .. $#stored;
is(scalar(@writes), $hits{'mem:kernel_flag:w'}, 'a write opens one, though watches rest in it');
is_deeply([grep { function($stored[$_]{from}) ne function($stored[$_ + 1]{from}) } @writes], [],
    '... behind the write');

# The scheduler names the next thread, by pitot_thread_runs, before it switches. So the console's
# last steps, one path to arch_switch, have the other thread's name. The load is long enough that
# the console has to wait for it, even if the host runs one CPU longer than the other.
my $threads = 'perf record -a -m 4m -e branches,sched:sched_switch -- fs-stress --threads 3 60';
($machine, my @mixed) = recorded($threads);
like(said($machine, $threads), qr/in 3 threads, all verified/, 'a load in threads is as ever');
my @others = grep { $_->{event} eq 'branches' && $_->{tid} != 1 } @mixed;
my @strange;
my $in = 'pitot_thread_runs';
for (@others) {
    push(@strange, $_) if function($_->{from}) ne $in;
    $in = $_->{to} eq 'arch_switch+0x0' ? 'pitot_thread_runs' : function($_->{to});
}
is_deeply(\@strange, [], '... of which the console\'s is stepped');
is(@others ? $others[-1]{to} : 'nowhere', 'arch_switch+0x0', '... up to the switch');
my %switched = map { $_->{tid} => 1 } grep { $_->{event} eq 'sched:sched_switch' } @mixed;
cmp_ok(scalar(keys %switched), '>=', 3, '... and others ran meanwhile');
my @given = grep { $mixed[$_]{event} eq 'sched:sched_switch' && $mixed[$_]{tid} == 1 } 0 .. $#mixed;
cmp_ok(scalar(@given), '>', 0, '... to whom it gave the CPU');
ok((grep { $_->{event} eq 'branches' && $_->{tid} == 1 } @mixed[$given[0] + 10 .. $#mixed]),
    '... and got it back, with its steps');
is_deeply([grep { ($_->{to} // '') =~ /^(?:event_|sample_|ring_)/ } @mixed], [],
    'what records a tracepoint is left out');

(undef, my @led) = recorded(
    'perf record -a --overwrite -e branches --trigger mem:fs_unlink:x -- fs-stress');
is($led[-1]{event}, 'mem:fs_unlink:x', 'a trigger is the last sample');
is($led[-2]{to}, 'fs_unlink+0x0', '... and the branch before it led there');

# --- Programs ------------------------------------------------------------------------------------

# A window that opens in the kernel ends where the kernel returns to a program. Each program does
# the same work, so the counts stay equal even though a watch rested for a step.
{
    my $count = 'perf stat -a -e mem:kernel_flag:w -- /bin/fs-load 10';
    my @windows = map { "perf record -a --overwrite -m 64k -e branches $_" } (
        '--start mem:process_main:x -- /bin/fs-load 3',
        '--start mem:scheduler_tick:x -- /bin/fs-load 80',
        '--start mem:sys_open:x -- /bin/fs-load 3');
    $machine = boot(icount => 1, smp => 2, run => join('; ', $count,
            (map { ($_, $count) } @windows), 'cpus', 'poweroff'));
    ended_ok($machine, 'windows and programs');
    my @counts = map { said($machine, $count, $_) =~ /^ +(\d+) +mem:kernel_flag:w$/m ? $1 : -1 }
        1 .. @windows + 1;
    cmp_ok($counts[0], '>', 2000, 'a watch counts the stores of a program\'s calls');
    for my $nth (0 .. $#windows) {
        my $said = said($machine, $windows[$nth]);
        like($said, qr/^fs-load: \d+ system calls, all verified\n\[ perf/m,
            "$windows[$nth]: the program is as ever");
        cmp_ok((summary($said))[2] // 0, '>', 0, '... beside windows');
        is($counts[$nth + 1], $counts[0], '... and a watch behind that counts the same');
    }
    unlike($machine->console, qr/missed/, 'no CPU was found without its watches');
}

# Windows that other threads interrupt: each tick reads the watches of all CPUs.
for my $load ('fs-stress --threads 3 1', '/bin/fs-load 2') {
    my $record = 'perf record -a --overwrite -m 64k -e branches/window=300/ '
        . "--start mem:lock_kernel:x --start mem:scheduler_tick:x -- $load";
    $machine = boot(smp => 2, run => "$record; cpus; poweroff");
    ended_ok($machine, $record);
    unlike($machine->console, qr/missed/, '... loses no watch');
}

# A CPU that has lost its watches, here on purpose: the loss is found, reported and repaired.
{
    my $ends = 'perf stat -a -e mem:ticks:w -- watches-off';
    my $ticks = 'perf record -a -e mem:ticks:w -- watches-off 5';
    my $whole = 'perf stat -a -e mem:ticks:w -- memory';
    $machine = boot(kernel => 'pitot-test', smp => 1, com2 => 'none',
        run => join('; ', $whole, $ends, $ticks, $whole, 'cpus', 'poweroff'));
    ended_ok($machine, 'watches that are off');
    my $found = qr/CPU 0 has missed hits: its debug registers were found disarmed 1 time\b/;
    like(said($machine, $ends), qr/^perf stat: $found$/m, 'perf stat finds them at its end');
    like(said($machine, $ticks), qr/^perf record: $found$/m, 'perf record finds them at a tick');
    like(said($machine, $ticks), qr/^\[ perf record: [45] records kept/m,
        '... from which on they hit again');
    unlike(said($machine, $whole, $_), qr/missed/, '... and says nothing where they were on')
        for 1, 2;
    like(said($machine, 'cpus'),
        qr/its debug registers were found disarmed 2 times, and hits were missed/,
        'cpus tells of both');
}

# --- A crash -------------------------------------------------------------------------------------

$machine = boot(run => 'perf record -a --overwrite -m 64k -e branches -- crash jump-null');
my $last = qr/branches: +[0-9a-f]+ crash_jump_null\+0x\w+ => +0 \[unknown\]\n/;
like($machine->console, qr/^last samples, 8 of \d+:\n(?:.*\n){7}.*$last/m,
    'who has jumped to nowhere is the last branch of the report');
like(scalar perf_script($machine, '-F', $fields), qr/$last\z/, '... and of the stream');

# --- Refusals ------------------------------------------------------------------------------------

my @refused = (
    ['-e branches', qr/branches: say what to step: -- COMMAND, -p PID, or --start EVENT/],
    ['-e branches:u -- help', qr/branches:u: help runs in the kernel: .*/],
    ['-F 100 -e branches -- help', qr/-F: not for branches: use -c N \(every N-th branch\), .*/],
    ['-g -e branches -- help', qr/-g: a branch has only from and to/],
    ['-e branches,branches -- help', qr/branches: a recording can have this event only once/],
    ['-e branches/window=0/ -- help', qr/window "0": a number of instructions from 1 on, .*/],
    ['-e branches,mem:ticks:w -- help', qr/mem:ticks:w: QEMU's TCG cannot step .* --start only/],
    ['-e branches --start lock:lock_acquire', qr/--start lock:lock_acquire: only a breakpoint .*/],
    ['--start mem:ticks:w -- help', qr/--start opens the window of branches: add -e branches/],
);
$machine = boot(run => join('; ', (map { "perf record $_->[0]" } @refused), 'poweroff'));
ended_ok($machine);
like(said($machine, "perf record $_->[0]"), qr/^perf record: $_->[1]$/m, "refused: $_->[0]")
    for @refused;

done_testing();
