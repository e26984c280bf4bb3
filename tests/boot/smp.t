#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/lib/cpus, kernel/sched, kernel/x86_64/smp/smp, core/recording/merge
#
# A recording of several CPUs: it contains each, in order of time, on the console and in the real
# perf, and the counters add up; watches armed before the other CPUs started are also armed there; a
# failure on any CPU is reported once, while the others work. Run from the root of the tree:
#
#     prove tests/boot/smp.t
use strict;
use warnings;
use lib 'tests/lib';
use List::Util qw(max sum0);
use Test::More;
use Pitot;
use Pitot::Transcript;

plan skip_all => 'Bochs cannot be asked for so much in a test\'s time'
    if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $cpus = 4;
my $load = 'fs-stress --threads 5 6';

# --- The CPUs ------------------------------------------------------------------------------------

my $looks = 10;
my $machine = boot(smp => $cpus,
    run => join('; ', ('cpus') x $looks, 'ps', 'bt 1', 'poweroff'));
ended_ok($machine);
like($machine->console, qr/^Pitot: .*, $cpus of $cpus CPUs$/m, 'the boot log counts the CPUs');
my @lines = said($machine, 'cpus') =~ /^ +(\d+ +\d+ +\d+  .*)$/mg;
is(scalar(@lines), $cpus, 'cpus has a line for each');
# A thread that was just started may still be about to sleep.
my $idles = qr{^ +\d+ +0 +0  idle/\d .* arch_idle}m;
my @idle = map { scalar(() = said($machine, 'cpus', $_) =~ /$idles/g) } 1 .. $looks;
is(max(@idle), $cpus - 1, '... which idle but one, when all threads have begun');
is(scalar(grep { /clock right to \d+ ns$/ } @lines), $cpus - 1, '... and agree on the time');
my @workers = said($machine, 'ps') =~ m{^ +\d+ +(\d+)  sleeps .* kworker/(\d+) }mg;
is("@workers", join(' ', map { "$_ $_" } 0 .. $cpus - 1), 'ps shows a worker on each CPU');

# --- A recording ---------------------------------------------------------------------------------

# The lines of perf script as [time, cpu, comm], from a real perf or the console.
sub samples_of
{
    my ($script) = @_;
    return map { [/^ *(\S+) +\d+ \[(\d+)\] +(\d+\.\d+):/ ? ($3, $2 + 0, $1) : ()] }
        grep { /^ *\S+ +\d+ \[\d+\]/ } split(/\n/, $script);
}

# How often a time is less than its predecessor.
sub backwards
{
    my @samples = @_;
    return scalar(grep { $samples[$_][0] < $samples[$_ - 1][0] } 1 .. $#samples);
}

$machine = boot(smp => $cpus, run => join('; ',
    "perf record -a -m 4M -e mem:kernel_flag:rw,sched:sched_switch,cpu-clock/freq=1000/ -- $load",
    'perf script', 'cpus', 'poweroff'));
ended_ok($machine);
like($machine->console, qr/^fs-stress: \d+ operations in 5 threads, all verified; \d+ waits/m,
    'the load ran in five threads, verified');
like($machine->console, qr/^\[ perf record: \d+ records? kept/m, 'nothing was lost');
my @here = samples_of(said($machine, 'perf script'));
my @there = samples_of(scalar(perf_script($machine)));
my %by_cpu;
$by_cpu{$_->[1]}++ for @there;
is(join(' ', sort keys %by_cpu), join(' ', 0 .. $cpus - 1), 'perf has samples of every CPU');
my @of_clock = samples(scalar perf_script($machine, '-F', 'comm,tid,cpu,time,period,event,ip,sym'));
my %clock;
push(@{$clock{0 + $_->{cpu}}}, $_) for grep { $_->{event} eq 'cpu-clock' } @of_clock;
my $took = $there[-1][0] - $there[0][0];
my $most = max(map { scalar(@$_) } values %clock);
for my $cpu (0 .. $cpus - 1) {
    my @samples = @{$clock{$cpu} // []};
    my $stand_for = sum0(map { $_->{period} } @samples) / 1e9;
    cmp_ok(abs($stand_for - $took), '<', 0.003 + 0.01 * $took,
        "CPU $cpu: the clock's samples stand for all of the time");
    # A late tick is one sample for two; how often depends on the emulator.
    cmp_ok(scalar(@samples), '>', 0.5 * $most, '... and are about as many as elsewhere');
}
is(backwards(@there), 0, '... in order of time');
is(backwards(@here), 0, '... on the console too');
is(join("\n", map { "@$_[1, 2]" } @here), join("\n", map { "@$_[1, 2]" } @there),
    '... the same samples, in the same order');
my ($dump, $errors, $status) = perf_run('report', $machine, '--stats');
is($status, 0, 'perf counts the records');
unlike("$dump$errors", qr/out of order/i, '... none of which came too late for its round');
is(scalar(() = said($machine, 'cpus') =~ /^ +\d+ +0 +\d+  /mg), $cpus,
    'when it is over, no watch is armed on any CPU');

# A CPU's clock counts all its time, whichever thread runs; four CPUs count four times as much.
$machine = boot(smp => $cpus, run => 'perf stat -a -e cpu-clock -- fs-stress 20; poweroff');
ended_ok($machine);
my ($counted) = $machine->console =~ /^ *([\d.]+) msec cpu-clock/m;
my ($elapsed) = $machine->console =~ /^ *([\d.]+) seconds time elapsed/m;
cmp_ok(abs(($counted // 0) / 1000 - $cpus * ($elapsed // 0)), '<',
    0.02 * $cpus * ($elapsed // 1), 'the clock counts the time of all CPUs')
    or diag($machine->tail);

# --- Each ring overwrites separately -------------------------------------------------------------

$machine = boot(smp => $cpus, run => join('; ',
    "perf record -a --overwrite -m 16K -e mem:kernel_flag:rw,sched:* -- $load", 'poweroff'));
ended_ok($machine);
my ($kept, $over) = $machine->console =~
    /^\[ perf record: (\d+) records? kept, (\d+) overwritten/m;
ok(defined $over && $over > 0, 'rings of four CPUs wrap') or diag($machine->tail);
@there = samples_of(scalar(perf_script($machine)));
is(scalar(@there), $kept // -1, '... what is kept is in the stream');
is(backwards(@there), 0, '... in order of time');

# --- Before other CPUs start ---------------------------------------------------------------------

$machine = boot(smp => $cpus, perf_boot => 'record -e mem:task_ids/8:w,mem:task_ids+8/8:w',
    run => "$load; poweroff");
ended_ok($machine);
my %early;
$early{$_->[1]}++ for samples_of(scalar(perf_script($machine)));
ok($early{0}, 'a watch from perf.boot= hits on the first CPU') or diag(explain(\%early));
ok($early{1}, '... and on one that was started later');

# --- A failure elsewhere -------------------------------------------------------------------------

$machine = boot(smp => $cpus,
    run => "perf record -e mem:kernel_flag:rw -g -- fs-stress --threads 3 2; crash recurse-thread");
is($machine->status, 2 * 0x31 + 1, 'a failure on another CPU ends the machine');
is(scalar(() = $machine->console =~ /^PANIC: /mg), 1, '... with one report');
like($machine->console, qr/^PANIC: stack overflow: the stack of doomed ran out/m, '... of its own');
like($machine->console, qr/^last samples, \d+ of \d+:$/m, '... with the last samples');
my @last = map { $_->{time} } samples($machine->console =~ /^(last samples.*)/ms);
is("@last", join(' ', sort { $a <=> $b } @last), '... of all CPUs, in order of time');

# --- Many ----------------------------------------------------------------------------------------

# Uses the host's clock, as with instruction counting QEMU takes minutes to start so many CPUs. The
# host determines how many ticks arrive during the load: a CPU without any has some in another boot.
my %seen;
for (1 .. 5) {
    $machine = boot(smp => 64, icount => '',
        run => 'perf record -a -e cpu-clock -F 100 -- fs-stress --threads 5 2; poweroff');
    ended_ok($machine);
    like($machine->console, qr/^Pitot: .*, 64 of 64 CPUs$/m, '64 CPUs run');
    like($machine->console, qr/^fs-stress: \d+ operations in 5 threads, all verified/m,
        '... and work together');
    $seen{$_->[1]}++ for samples_of(scalar(perf_script($machine)));
    last if keys(%seen) == 64;
}
is(scalar(keys %seen), 64, '... each with its samples');

$machine = boot(smp => 65, icount => '', run => 'poweroff');
ended_ok($machine);
like($machine->console, qr/^Pitot: 1 CPUs are ignored: at most 64 can /m, 'a 65th is left out');

done_testing();
