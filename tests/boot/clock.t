#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/event, boot/nmi_clock, drivers/hpet
#
# Samples by time: cpu-clock over a load and over an idle machine, at a frequency and with a period,
# on the console and in the real perf; and other events that keep a frequency by their periods. All
# times are by the guest's clock, its instructions (docs/testing.md, "The clock of a test"), so a
# slow or busy host changes nothing. Run from the root of the tree:
#
#     prove tests/boot/clock.t
use strict;
use warnings;
use lib 'tests/lib';
use List::Util qw(max sum0);
use Test::More;
use Pitot;
use Pitot::PerfText;
use Pitot::Transcript;

my @columns = ('--no-children', '-F', 'overhead,sample,sym', '-g', 'caller');
my $fields = 'comm,tid,cpu,time,period,event,trace,ip,sym,symoff';
my $load = 'fs-stress 40';    # a quarter of a second
my $second = 1e9;

# The count that `perf stat` printed: milliseconds, or hits.
sub counted
{
    my ($said) = @_;
    return {reverse $said =~ /^ +(\d+(?:\.\d\d)?) (?: {5}|msec )(\S+)$/mg};
}

# The time from the first of these samples to the last, in nanoseconds.
sub span
{
    my (@samples) = @_;
    return ($samples[-1]{time} - $samples[0]{time}) * $second;
}

sub weight
{
    return sum0(map { $_->{period} } @_);
}

# The events of the first recording, as perf describes them.
sub events_of
{
    my ($machine) = @_;
    my $stream = $machine->com2;
    return scalar `perf --no-pager evlist -v -i - < $stream`;
}

# --- Which code has the CPU? ---------------------------------------------------------------------

my $record = "perf record -a -g -F 1000 -e cpu-clock -- $load";
my $report = 'perf report -g caller -s sym';
my $of_timer = "-e irq:irq_handler_entry --filter 'irq == 0'";
my $interrupts = "perf stat -a -e timer:tick $of_timer -- $load";
my $stat = "perf stat -a -e cpu-clock,timer:tick $of_timer -- $load";
my $machine = boot(
    run => join('; ', $record, $report, 'perf script', $interrupts, $stat, 'poweroff'));
ended_ok($machine);
my @samples = samples(said($machine, 'perf script'));
my $time = weight(@samples);
cmp_ok(scalar(@samples), '>', 0.95 * 1000 * $time / $second,
    '-F 1000: about a thousand samples in a second of the clock');
cmp_ok(scalar(@samples), '<', 1.05 * 1000 * $time / $second + 3, '... and hardly more');
my $between = $time - $samples[0]{period};
cmp_ok(abs($between - span(@samples)), '<', 0.02 * $between,
    'what the samples stand for is the time that has passed');
cmp_ok(max(map { $_->{period} } @samples), '>', 0.9e6, '... however long that was');

my $by_load = qr/ fs_stress_run .* kernel_main boot_entry_high$/;
my @in_load = grep { "@{$_->{chain}}" =~ $by_load } @samples;
cmp_ok(scalar(@in_load), '>', 0.9 * @samples, 'it is the load that has the CPU');
my %hottest = map { $_->{chain}[0] => 1 } @in_load;
cmp_ok(scalar(keys %hottest), '>', 5, '... in several of its functions');
is_deeply([grep { $_ =~ /^(?:trap_|pic_|pit_|tick|interrupt_serve|event_)/ } keys %hottest], [],
    '... chains begin in what was interrupted, not in the interrupt');

my ($theirs, $complaints, $status) = perf_report($machine, @columns);
is($status, 0, 'perf reads the stream');
same_lines_ok(report_lines(said($machine, $report)), report_lines($theirs),
    'perf report: the kernel prints the lines that perf prints, weights and all');
like($theirs, qr/^# Event count \(approx\.\): $time$/m, '... of nanoseconds');
same_lines_ok(script_lines(said($machine, 'perf script')),
    script_lines(scalar perf_script($machine, '-F', $fields)), 'perf script likewise');
my $asked = attributes_of(events_of($machine))->{'cpu-clock'} // {};
is_deeply([@{$asked}{qw(type sample_freq freq)}], [1, 1000, 1],
    'perf knows that a frequency was asked for');

my $count = counted(said($machine, $stat));
my ($elapsed) = said($machine, $stat) =~ /^ +(\d+\.\d+) seconds time elapsed$/m;
cmp_ok(abs($count->{'cpu-clock'} - 1000 * $elapsed), '<', 1 + 0.02 * 1000 * $elapsed,
    'perf stat: the clock counts the time that the load took');
cmp_ok(abs($count->{'timer:tick'} - $count->{'cpu-clock'} / 10), '<=', 1,
    '... and asks for no more than a hundred ticks a second');
$count = counted(said($machine, $_)) and is($count->{'irq:irq_handler_entry'},
    $count->{'timer:tick'}, '... each interrupt of the timer a tick') for $interrupts, $stat;

# --- Periods, terms, other events, and the tick that drives it all -------------------------------

my $every = "perf record -a -c 2000000 -e cpu-clock -- $load";
my $both = "perf record -a -m 4m -e cpu-clock/freq=4000/,timer:tick -- $load";
my $watch = "perf record -a -F 500 -e mem:kernel_flag:w -- $load";
my $of_load = q{--filter 'name == "kernel_flag"'};
my $lock = "perf record -a -m 4m -e lock:lock_acquired/freq=2000/ $of_load -- $load";
my $hits = "perf stat -a -e mem:kernel_flag:w -e lock:lock_acquired $of_load -- $load";
my @recordings = ($every, $both, $watch, $lock);
$machine = boot(run => join('; ', (map { ($_, 'perf script') } @recordings), $hits, 'poweroff'));
ended_ok($machine);
my @scripts = map { said($machine, 'perf script', $_) } 1 .. @recordings;
my ($seldom, $mixed, $watched, $locked) = map { [samples($_)] } @scripts;

cmp_ok(scalar(@$seldom), '>', 5, '-c 2000000: samples');
my $apart = weight(@$seldom) / @$seldom;
cmp_ok(abs($apart - 2e6), '<', 0.05e6, '... that stand for two milliseconds each');

my @ticks = grep { $_->{event} eq 'timer:tick' } @$mixed;
my @clock = grep { $_->{event} eq 'cpu-clock' } @$mixed;
cmp_ok(abs(@clock - span(@clock) / $second * 4000), '<', 0.02 * @clock + 3,
    'the timer is quicker while the clock needs it');
cmp_ok(abs(@ticks - span(@clock) / 1e7), '<=', 2, '... but ticks come as often as ever');

$count = counted(said($machine, $hits));
for (['mem:kernel_flag:w', 500, $watched], ['lock:lock_acquired', 2000, $locked]) {
    my ($event, $frequency, $samples) = @$_;
    my $rate = @$samples / span(@$samples) * $second;
    cmp_ok($rate, '>', 0.9 * $frequency, "$event keeps a frequency of $frequency");
    cmp_ok($rate, '<', 1.2 * $frequency, '... from below and above');
    is($samples->[0]{period}, 1, '... beginning with the first hit');
    my ($stands_for, $longest) = (weight(@$samples), max(map { $_->{period} } @$samples));
    cmp_ok($longest, '>', 1, '... by longer periods');
    cmp_ok($stands_for, '<=', $count->{$event}, '... that together are no more than the hits');
    cmp_ok($stands_for, '>=', $count->{$event} - 2 * $longest, '... nor less, but for the last');
}
is_deeply([grep { /\S/ } map { s/\s+/ /gr } @{script_lines(join('', @scripts))}],
    [grep { /\S/ } map { s/\s+/ /gr }
        @{script_lines(scalar perf_script($machine, '-F', $fields))}],
    'perf prints the samples and periods of all of them');

# --- Before there are interrupts -----------------------------------------------------------------

$machine = boot(perf_boot => 'record -F max -e cpu-clock', run => "$stat; poweroff");
ended_ok($machine, 'the clock may be asked for samples before there is a timer');
like($machine->console, qr/^\[ perf record: \d+ records? kept \]$/m,
    '... which it takes from there');
$count = counted(said($machine, $stat));
is($count->{'irq:irq_handler_entry'}, $count->{'timer:tick'}, '... up to the end of the boot');

# --- A machine that is too slow for it -----------------------------------------------------------

# Here a sample takes longer than the interval, so each interrupt would arrive as the one before
# ends. In QEMU an instruction takes 128 ns, and the clock is an NMI; in Bochs it takes 250 ns, and
# the timer samples. QEMU without an HPET samples by the timer as well; there a sample takes half of
# the interval, so that work which a too frequent timer delays still finishes.
for (['QEMU', 1, extra => ['-icount', 'shift=7']], ['QEMU', 4, extra => ['-icount', 'shift=7']],
    ['QEMU without an HPET', 1, qemu_machine => 'pc,hpet=off', extra => ['-icount', 'shift=6']],
    ['Bochs', 1, machine => 'bochs']) {
    my ($name, $cpus, @options) = @$_;
    my $work = $cpus > 1 ? "fs-stress --threads $cpus 5" : 'fs-stress 2';
    my $costly = "perf record -a -m 4m -g -e cpu-clock -- $work";
    my $free = "perf stat -a -e cpu-clock -- $work";
    my $slow = boot(smp => $cpus, run => "$costly; perf script; $free; poweroff", @options);
    ended_ok($slow, "$name with $cpus CPU(s), slow: the work comes to its end");
    my ($hertz, $took) = said($slow, $costly) =~
        /^cpu-clock: rate lowered to (\d+) samples a second: one took (\d+) us, /m;
    cmp_ok($hertz // 4000, '<', 4000, '... with fewer samples than asked for, which is reported');
    # Several CPUs take turns at one instruction clock, so a sample includes the others' turns that
    # fall within it.
    if ($cpus == 1) {
        cmp_ok(($took // 1e6) * ($hertz // 4000), '<', 1e6, '... and leave time for it');
        my @taken = grep { $_->{cpu} == 0 } samples(said($slow, 'perf script'));
        # The thread that streams works for the recording meanwhile: that time is not the load's.
        my $streamed = weight(grep { $_->{comm} ne 'fs-stress' } @taken);
        my ($alone) = said($slow, $free) =~ /^ +(\d+\.\d+) seconds time elapsed$/m;
        # Eight samples before each halving of the rate only show what a sample costs.
        my $halvings = log(4000 / ($hertz // 4000)) / log(2);
        cmp_ok((span(@taken) - $streamed) / $second, '<',
            2 * $alone + 8 * $halvings * ($took // 0) / 1e6,
            '... it had at least half of the CPU');
    }
    my $events = perf_report($slow, '--stats');
    like($events, qr/THROTTLE events: +[1-9]/, '... perf knows that samples were held back');
}

# --- An idle machine -----------------------------------------------------------------------------

# However soon ^C arrives, the machine may have been idle; then it is tried again.
$machine = start();
my $prompt = qr/^pitot> $/m;
$machine->expect($prompt, $patience, 'there is a prompt');
my ($said, $tries) = ('', 0);
while ($said !~ /\] arch_idle *$/m && $tries++ < 100) {
    $machine->send("perf record -a -F max -g -e cpu-c\t\n");
    $machine->expect(qr/recording until \^C\n/);
    $machine->send("\cC");
    $machine->expect($prompt);
    $machine->send("perf report -g callee,0 -s sym\n");
    $said = $machine->expect($prompt);
}
like($said, qr/\] arch_idle *\n +\|\n +---arch_idle\n(?: +\w+\n)* +thread_start\n/,
    'an idle machine is in the idle thread');
$machine->send("perf record -a -e \t\t");
my $others = qr/branches\s+breakpoint:hit\s+cpu-clock\s+irq:/;
my $listed = qr/\n$others.*\slock:lock_release\s+mem:\s+raw_syscalls:.*\ssched:.*-e $/s;
$machine->expect($listed, $patience, 'TAB knows the clock, at its place among the tracepoints');
$machine->send("\cCpoweroff\n");
$machine->wait_end;

# --- Refusals ------------------------------------------------------------------------------------

my @refused = (
    ['-e cpu-clock -F 10001', qr/cpu-clock: 10001 samples a second: at most 10000 are allowed/],
    ['-e cpu-clock -c 99999', qr/a sample every 99999 ns: every 100000 ns is the most possible/],
    ['-e cpu-clock -F 10 -c 10', qr/-c and -F cannot be combined/],
);
$machine = boot(run => join('; ', (map { "perf record $_->[0]" } @refused), 'poweroff'));
ended_ok($machine);
like(said($machine, "perf record $_->[0]"), $_->[1], "refused: $_->[0]") for @refused;

done_testing();
