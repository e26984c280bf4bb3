#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/perf/stat, core/perf/hints, core/perf/options
# of: core/lib/deviation, core/recording
#
# perf stat with repeated runs and with intervals: means and intervals add up to the counts of
# single runs, and the last recording is kept. Run from the root of the tree:
#
#     prove tests/boot/stat.t
use strict;
use warnings;
use lib 'tests/lib';
use List::Util qw(max min sum);
use Test::More;
use Pitot;
use Pitot::Difference;
use Pitot::Transcript;

# A load that takes the same locks in each run, and a clock, whose count varies.
my $events = q{-e lock:lock_acquire --filter 'name == "kernel_flag"' -e cpu-clock};
my $load = 'fs-stress 20';
my $number = qr/(\d+(?:\.\d+)?)/;

sub plain
{
    my ($said, $event) = @_;
    my ($count) = $said =~ /^ +$number (?:msec|    ) \Q$event\E\s*$/m;
    return $count;
}

# --- -r -------------------------------------------------------------------------------------------

my $once = "perf stat $events -- $load";
my $often = "perf stat -r 5 $events -- $load";
my $machine = boot(run => "$once; $often; poweroff");
ended_ok($machine);
my ($one, $many) = map { said($machine, $_) } $once, $often;
my $locks = plain($one, 'lock:lock_acquire');
cmp_ok($locks // 0, '>', 500, 'one run counts');
unlike($one, qr/\+-|runs/, '... and prints nothing about others');
is(scalar(() = $many =~ /^fs-stress: /mg), 5, '-r 5: the command runs five times');
like($many, qr/^ Performance counter stats for 'fs-stress' \(5 runs\):$/m, '... which it prints');
like($many, qr/^ +$locks      lock:lock_acquire  \( \+-  0\.00% \)$/m,
    '... what is the same each time deviates by nothing');
my ($time, $time_off) = $many =~ /^ +$number msec cpu-clock  \( \+- *$number% \)$/m;
my ($mean, $off, $percent)
    = $many =~ /^ +$number \+- $number seconds time elapsed  \( \+- *$number% \)$/m;
cmp_ok(abs($time - 1000 * $mean), '<', 0.1 * $time, '... times are means');
cmp_ok($off, '>', 0, '... and never quite the same');
cmp_ok(abs($percent - 100 * $off / $mean), '<=', 0.011, '... by the percentage');
cmp_ok($off, '<', 0.05 * $mean, '... which is little');

# --- -I -------------------------------------------------------------------------------------------

# [time, count] of each line of this event.
sub intervals
{
    my ($said, $event) = @_;
    my @lines;
    push(@lines, [$1, $2]) while $said =~ /^ *(\d+\.\d{9}) +$number (?:msec|    ) \Q$event\E$/mg;
    return @lines;
}

for my $cpus (1, 2) {
    my $long = 'fs-stress 60';
    my $whole = "perf stat $events -- $long";
    my $parts = "perf stat -I 50 $events -- $long";
    $machine = boot(smp => $cpus, run => "$whole; $parts; poweroff");
    ended_ok($machine, "$cpus CPU" . 's' x ($cpus > 1));
    my $said = said($machine, $parts);
    like($said, qr/\A# +time +counts unit events\n/, '-I: perf\'s columns');
    unlike($said, qr/Performance counter stats/, '... and no sum behind them');
    my @locks = intervals($said, 'lock:lock_acquire');
    my @clock = intervals($said, 'cpu-clock');
    is_deeply([map { $_->[0] } @locks], [map { $_->[0] } @clock],
        '... a line of each event at the same times');
    is_deeply([map { $_->[0] } @locks], [sort { $a <=> $b } map { $_->[0] } @locks],
        '... which follow each other');
    is(sum(map { $_->[1] } @locks), plain(said($machine, $whole), 'lock:lock_acquire'),
        '... and add up to the count of a whole run');
    my $elapsed = $locks[-1][0];
    my $clock = sum(map { $_->[1] } @clock) / 1000;
    cmp_ok($clock, '<=', $elapsed * $cpus, '... no more time is counted than passed');
    cmp_ok($clock, '>', 0.5 * $elapsed, '... though most of it');
    next if $cpus > 1;    # QEMU decides which CPU runs when

    # A line is printed at the tick at which its interval is over, at most 10 ms late, by a thread
    # that may have to wait until the load's turn ends.
    my @late = map { $locks[$_][0] - 0.05 * ($_ + 1) } 0 .. $#locks - 1;
    cmp_ok(scalar(@late), '>=', 4, '... in several intervals');
    cmp_ok(min(@late), '>=', 0, '... no line before its time');
    cmp_ok(max(@late), '<', 0.05, '... and none is left out');
    cmp_ok(min(map { $_->[1] } @locks[0 .. $#locks - 1]), '>', 0, '... something in each');
    cmp_ok(max(map { $_->[1] } @clock), '<', 100, '... each interval has its own');
}

# --- The last recording ---------------------------------------------------------------------------

# Counting, with and without the options that need memory, and a refused count.
my $record = 'perf record -a -g -e mem:kernel_flag:w -- fs-stress 2';
my @counts = ("perf stat -a -r 2 -e mem:ticks:w -e cpu-clock -- fs-stress 1",
    "perf stat -I 10 -e lock:lock_acquire --by name -- /bin/fs-load 5",
    'perf stat -e mem:nothing_here -- fs-stress 1');
my @reads = ('perf report -s comm,sym -g none', 'perf script', 'perf report -D');
$machine = boot(smp => 2,
    run => join('; ', $record, @reads, @counts, @reads, $record, 'perf script', 'poweroff'));
ended_ok($machine, 'perf stat between two recordings');
for my $read (@reads) {
    my ($before, $after) = map { said($machine, $read, $_) } 1, 2;
    like($before, qr/kernel_flag|RECORD_SAMPLE/, "$read: the recording is there");
    same_ok($after, $before, '... and perf stat leaves it alone');
}
like(said($machine, $counts[0]), qr/^ Performance counter stats for 'system wide' \(2 runs\):$/m,
    '-a: what is counted is the whole system');
my ($first, $second) = map { said($machine, 'perf script', $_) } 1, 3;
isnt($second, $first, 'the next perf record takes its place');

# --- A machine whose watches miscount --------------------------------------------------------

# QEMU 7.2 with one thread per CPU does not report xchg, which takes the lock, to a watch of reads
# and writes, and sometimes reports it twice to a watch of writes.
for my $thread ('multi', 'single') {
    my @work = ('perf stat -a -e mem:kernel_flag:rw -- fs-stress 10',
        'perf record -a -e mem:kernel_flag:rw -- fs-stress 10',
        'perf stat -a -e mem:lock_kernel:x -- fs-stress 10');
    $machine = boot(smp => 2, icount => '', accel => "tcg,thread=$thread", flags => 'perf.rate=0',
        run => join('; ', @work, 'poweroff'));
    ended_ok($machine, "thread=$thread");
    my ($operations) = said($machine, $work[0]) =~ /^fs-stress: (\d+) operations/m;
    my ($count, $mark) = said($machine, $work[0]) =~ /^ +(\d+) +mem:kernel_flag:rw(.*)$/m;
    my $misses = ($count // 0) < 2 * $operations;
    is($misses, '', '... misses no hit') if $thread eq 'single';
    note($misses ? "$count of " . 2 * $operations . ' hits' : 'misses none');
    my $says = $misses ? \&like : \&unlike;
    $says->($mark, qr/^  \(not exact: locked accesses are miscounted\)$/, '... on the count');
    $says->($machine->console, qr/^Pitot: watches miscount xchg and locked instructions/m,
        '... the boot reports it');
    $says->(said($machine, $_), qr/^perf (?:stat|record): watches miscount .*thread=single/m,
        '... and what to do')
        for @work[0, 1];
    unlike(said($machine, $work[2]), qr/miscount/, '... an execute breakpoint misses nothing');
}

# --- ^C -------------------------------------------------------------------------------------------

$machine = Pitot::Machine->new(interactive => 1);
$machine->expect(qr/pitot> $/);
$machine->send("perf stat -r 100 -e mem:kernel_flag:w -- fs-stress 200\n");
$machine->expect(qr/verified/);
$machine->expect(qr/fs-stress: \d+ of 200/);
$machine->send("\x03");
$machine->expect(qr/time elapsed.*?pitot> $/s);
my $whole = () = $machine->console =~ /all verified/g;
is(($machine->console =~ /\((\d+) runs\)/)[0] // 1, $whole,
    '^C: the run that was cut is none of those averaged');
like($machine->console, qr/kernel_flag:w\r?\n/, '... and what came before is printed');
$machine->send("poweroff\n");
$machine->wait_end;

done_testing();
