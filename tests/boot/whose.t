#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/host, kernel/sched, core/event, core/perf/record, kernel/user/process
#
# The threads whose hits are recorded: without -a only the workload's, a program's from its first
# instruction on, with all threads that it creates; other hits are counted as left out. And -C: the
# hits of some CPUs. Run from the root of the tree:
#
#     prove tests/boot/whose.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::Transcript;

# The counts of `perf stat`, by event; `cpu-clock` in ms, the elapsed time as `elapsed`.
sub counted
{
    my ($said) = @_;
    my %count = reverse $said =~ /^ +(\d+(?:\.\d+)?) (?:msec| {4,}) *(\S+)$/mg;
    $count{elapsed} = 1000 * $1 if $said =~ /^ +([\d.]+) seconds time elapsed$/m;
    $count{foreign} =
        $said =~ /^ (\d+) hits? of other threads left out \(-a includes them\)$/m ? $1 : 0;
    return \%count;
}

# The threads of a recording's samples.
sub threads
{
    my %threads = map { $_->{comm} => 1 } samples($_[0]);
    return join(' ', sort keys %threads);
}

# --- A program -----------------------------------------------------------------------------------

# process_main runs in its thread, before the first instruction; the console has read the file
# before.
my $events = '-e mem:kernel_flag:w -e mem:process_main:x -e mem:/bin/fs-load:_start:x';
my $own = "perf stat $events -- /bin/fs-load 5";
my $all = "perf stat -a $events -- /bin/fs-load 5";
my $record = 'perf record -m 4m -e mem:kernel_flag:w -- /bin/fs-load 5';
my $record_all = 'perf record -m 4m -a -e mem:kernel_flag:w -- /bin/fs-load 5';
my $run = 'perf stat -e mem:kernel_flag:w -- run fs-load 5';
my @once = map { "perf $_ -e mem:process_main:x -- /bin/fs-load 1" } qw(stat record);
my $machine = boot(run => join('; ', @once, $own, $all, $run, $record, 'perf script', $record_all,
        'perf script', 'poweroff'));
ended_ok($machine);
my ($mine, $theirs) = map { counted(said($machine, $_)) } $own, $all;
my $both = 'mem:kernel_flag:w';
like(said($machine, $_), qr/\b1 hit of other threads left out/, "one hit is no hits: $_") for @once;
is($mine->{'mem:process_main:x'}, 0, 'the way to a program is not the workload');
is($theirs->{'mem:process_main:x'}, 1, '... -a has it');
is($mine->{'mem:/bin/fs-load:_start:x'}, 1, 'its first instruction is');
cmp_ok($mine->{$both}, '>', 1000, 'what it does in the kernel is the workload');
cmp_ok($mine->{$both}, '<', $theirs->{$both}, '... what is done to load it is not');
# Hits of process_main are left out, too; no other armed event occurs.
is($mine->{$both} + $mine->{foreign} - 1, $theirs->{$both}, '... and is counted as left out');
is($theirs->{foreign}, 0, 'with -a nothing is left out');
is(counted(said($machine, $run))->{$both}, $mine->{$both}, '`run` is a program, too');
is(threads(said($machine, 'perf script', 1)), 'fs-load', 'samples are the program\'s');
cmp_ok(threads(said($machine, 'perf script', 2)), 'ne', 'fs-load', '... with -a not only');
my $left = $theirs->{$both} - $mine->{$both};
like(said($machine, $record),
    qr/^\[ perf record: $mine->{$both} records kept, $left hits of other threads left out/m,
    'perf record reports what it leaves out');
my ($of_perf) = perf_script($machine, '-F', 'comm,event');
like($of_perf, qr/^ *\S+ +mem:/, 'perf reads the stream');
like(scalar(perf_run('evlist', $machine, '-v')), qr/^mem:.* inherit: 1, enable_on_exec: 1,/m,
    '... and in it what its own events of a workload have');

# --- A command, its threads, and what earlier ones have left --------------------------------------

my $calls = 'raw_syscalls:sys_enter';
my $threads = 'perf record -m 8m -e mem:kernel_flag:w -- fs-stress --threads 3 4';
my $job = "perf stat -e $calls -- run spin calls &";
my $later = "perf stat -e $calls,cpu-clock -- fs-stress 40";
my $later_all = "perf stat -a -e $calls,cpu-clock -- fs-stress 40";
$machine = boot(
    run => join('; ', $threads, 'perf script', $job, $later, $later_all, 'poweroff'));
ended_ok($machine);
is(threads(said($machine, 'perf script')), join(' ', 'fs-stress', map { "fs-stress/$_" } 0 .. 2),
    'a command\'s threads are the workload');
$theirs = counted(said($machine, $later_all));
$mine = counted(said($machine, $later));
is($mine->{$calls}, 0, 'a job of the workload before is not this one\'s');
cmp_ok($mine->{foreign}, '>', 100, '... what it does is left out');
cmp_ok($theirs->{$calls}, '>', 100, '... and with -a counted');
cmp_ok($mine->{'cpu-clock'}, '>', 0.3 * $mine->{elapsed}, 'the clock counts the workload\'s time');
cmp_ok($mine->{'cpu-clock'}, '<', 0.7 * $mine->{elapsed}, '... which shares the CPU with the job');
cmp_ok($theirs->{'cpu-clock'}, '>', 0.95 * $theirs->{elapsed}, '... with -a all time');

# --- CPUs ----------------------------------------------------------------------------------------

# Threads are distributed to the CPUs, and stay there.
my $load = 'fs-stress --threads 4 10';
my $flag = '-m 8m -e mem:kernel_flag:w,cpu-clock';
my @on = map { "perf record $_ $flag -- $load" } '-C 1', '-C 0', '-a';
my $clock = 'perf stat -C 1 -e cpu-clock -- fs-stress 20';
$machine = boot(smp => 2,
    run => join('; ', (map { ($_, 'perf script') } @on), $clock, 'perf record -C 2 -- help',
        'poweroff'));
ended_ok($machine);
for my $which (0 .. $#on) {
    my %cpus = map { $_->{event} . ' ' . ($_->{cpu} + 0) => 1 }
        samples(said($machine, 'perf script', $which + 1));
    my @cpus = $which == 2 ? (0, 1) : 1 - $which;
    is_deeply([sort keys %cpus], [sort map { ("cpu-clock $_", "mem:kernel_flag:w $_") } @cpus],
        "samples are of CPU @cpus: $on[$which]");
}
my $one = counted(said($machine, $clock));
cmp_ok($one->{'cpu-clock'}, '<=', 1.01 * $one->{elapsed}, 'the clock counts that CPU\'s time');
like(said($machine, 'perf record -C 2 -- help'), qr/^perf record: -C "2": .* has 0 to 1$/m,
    'a CPU that there is not is refused');

done_testing();
