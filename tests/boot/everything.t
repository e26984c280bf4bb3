#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: tests/kernel/everything, core/stream/drain, core/tracepoint, core/ring, kernel/time/ticks
#
# Everything is recorded while the machine works as hard as it can: all tracepoints, a watch of the
# big kernel lock and the clock, with records and chains, for seconds of the guest's time, on four
# CPUs and on one, overwriting and as a stream. The machine still answers, the clock keeps ticking,
# and the console's counts equal the real perf's. (tests/kernel/everything_suite.c checks the
# balance from inside.) SOAK=1: a minute on four CPUs.
#
# Claims about rates and delays are about one CPU, whose clock is its executed instructions, so the
# host does not matter. Run from the root of the tree:
#
#     prove tests/boot/everything.t
use strict;
use warnings;
use lib 'tests/lib';
use List::Util qw(sum0);
use Test::More;
use Pitot;

my $everything = '-e *:*,mem:kernel_flag:rw,cpu-clock -g -R -- fs-stress --threads 4 1000000';
my $overwriting = "perf record -a --overwrite -m 1m $everything";
my $streaming = "perf record -a -m 256k $everything";
my $before = 'perf record -a -e timer:tick -R -- fs-stress 100';
my $cpus = 4;
my $prompt = qr/^pitot> $/m;
my $whole = '2144df1c';    # docs/stream.md

# The numbers that `perf record` printed at its end, each by the word before or after it.
sub summary
{
    my ($said) = @_;
    my ($line) = $said =~ /^\[ perf record: (.*) \]$/m or return {};
    my %number = ('records kept' => 0, lost => 0, overwritten => 0, 'of them' => 0,
        'hits raised' => 0, 'hits of tracepoints' => 0);
    $number{$2} = $1 while $line =~ /(\d+) ([a-z]+(?: (?:kept|them|raised|of tracepoints))?)/g;
    return \%number;
}

# Runs the command after a short recording for so many seconds of the guest, which fs-stress counts
# with a line each, and stops it with ^C. Returns the last lines of both, and the number of rounds.
sub run_for
{
    my ($machine, $command, $seconds) = @_;
    $machine->send("$before; $command\n");
    my @told = map { $machine->expect(qr/fs-stress: \d+ of 1000000/, $patience) } 1 .. $seconds;
    $machine->send("\x03");
    return ($told[0], $machine->expect($prompt, $patience), map { /(\d+) of 1000000$/ } @told);
}

sub answers_ok
{
    my ($machine) = @_;
    $machine->send("ps\n");
    like($machine->expect($prompt, $patience), qr/^ +1 +0  runs .* pitot .*\n(?:.*\n)* .* kworker/m,
        '... ps answers');
    $machine->send("perf list\n");
    like($machine->expect($prompt, $patience), qr/^ *sched:sched_switch/m, '... perf list too');
}

# The samples that perf finds after those of the recording before, in stream order: {event, time},
# and a tick's count. Chains are left out, as there are many.
sub samples_of
{
    my ($machine) = @_;
    my ($text, $complaints, $status) = perf_script($machine, '-F', 'cpu,time,event,trace');
    is($status, 0, 'perf reads the stream') or diag($complaints);
    my @samples;
    while ($text =~ /^ *\[\d+\] +(\d+\.\d+): +(\S+): *(?:count=(\d+))?/mg) {
        push(@samples, {time => $1, event => $2, count => $3});
    }
    return @samples;
}

sub crc32_of
{
    my ($path) = @_;
    return `gzip -c < $path | tail -c8 | od -An -tx4 -N4` =~ s/\s//gr;
}

# The number of samples of this event.
sub number_of
{
    my ($event, @samples) = @_;
    return scalar(grep { $_->{event} eq $event } @samples);
}

# One recording after a short one, which shows where clock and ticks were before.
sub record_for
{
    my ($command, $seconds, %options) = @_;
    my $machine = start(flags => 'perf.rate=0', timeout => 5 * $patience, %options);
    $machine->expect($prompt, $patience);
    my ($first, $said, @rounds) = run_for($machine, $command, $seconds);
    my @stopped = $said =~ /^fs-stress: stopped after (\d+) of/mg;
    is(scalar(@stopped), 4, "$seconds seconds of everything: four threads work, and stop at ^C");
    is_deeply([sort { $a <=> $b } @rounds], \@rounds, '... told each second how far it was');
    answers_ok($machine);
    $machine->send("poweroff\n");
    $machine->wait_end;
    ended_ok($machine);
    return ($machine, summary($said), summary($first));
}

# The rate from the first recorded tick to the last.
sub rate_of_ticks
{
    my @ticks = grep { defined $_->{count} && $_->{event} eq 'timer:tick' } @_;
    return ($ticks[-1]{count} - $ticks[0]{count}) / ($ticks[-1]{time} - $ticks[0]{time});
}

# The numbers of samples lost by both kinds of records, and of records that report throttling.
sub of_dump
{
    my ($machine) = @_;
    my $dump = perf_run('report', $machine, '-D');
    my $throttles = () = $dump =~ /PERF_RECORD_(?:UN)?THROTTLE\b/g;
    return (sum0($dump =~ /PERF_RECORD_LOST: id:\d+: lost:(\d+)$/mg),
        sum0($dump =~ /LOST_SAMPLES: id:\d+: lost samples :(\d+)$/mg), $throttles);
}

# Tests what all recordings have in common. Returns the samples, the seconds they span, their rate
# of ticks, and the losses that perf reports.
sub books_ok
{
    my ($machine, $summary, $first, $seconds) = @_;
    my @samples = samples_of($machine);
    my $rate = rate_of_ticks(@samples);
    cmp_ok($rate, '<', 101, 'there are no more than a hundred ticks a second');

    my $last = (splice(@samples, 0, $first->{'records kept'}))[-1];
    my $took = $samples[-1]{time} - $last->{time};
    cmp_ok(number_of('timer:tick', @samples), '>', 0, '... and still some at the end');
    cmp_ok($took, '>', $seconds, 'the recording is as long as the load');
    my @lost = of_dump($machine);
    is(@samples + pop(@lost), $summary->{'records kept'}, 'perf has what was kept');
    my @back = grep { $samples[$_]{time} < $samples[$_ - 1]{time} } 1 .. $#samples;
    is(scalar(@back), 0, '... in order of time');
    cmp_ok(number_of('cpu-clock', @samples), '>', 0, '... the clock has samples');
    cmp_ok(number_of('mem:kernel_flag:rw', @samples), '>', 0, '... and the watch');
    is($summary->{'hits of tracepoints'}, 0, 'no tracepoint was hit by the recording of another');
    is(crc32_of($machine->com2), $whole, 'the checksum tells that the stream is whole');
    unlike(scalar(perf_run('report', $machine, '--stdio', '-g', 'none')),
        qr/out of order|unordered/i, '... in order');
    return {took => $took, rate => $rate, lost => \@lost, samples => \@samples};
}

# --- The newest, of four CPUs --------------------------------------------------------------------

my $seconds = $ENV{SOAK} ? 60 : 2;
my ($machine, $summary, $first) = record_for($overwriting, $seconds, smp => $cpus);
my $books = books_ok($machine, $summary, $first, $seconds);
my @samples = @{$books->{samples}};
cmp_ok($summary->{overwritten}, '>', 0, 'what is older was overwritten');
cmp_ok(abs(number_of('breakpoint:hit', @samples) - number_of('mem:kernel_flag:rw', @samples)),
    '<=', $cpus, 'each debug trap has both its records, but where a ring begins');
cmp_ok(abs(number_of('irq:irq_handler_entry', @samples) - number_of('irq:irq_handler_exit',
    @samples)), '<=', $cpus, 'each interrupt, too');
is_deeply($books->{lost}, [0, $summary->{overwritten}], 'perf is told what was overwritten');

# --- While it streams ----------------------------------------------------------------------------

($machine, $summary, $first) = record_for($streaming, $seconds, smp => $cpus);
$books = books_ok($machine, $summary, $first, $seconds);
cmp_ok($summary->{'of them'}, '>', 0, 'most of it left while it ran');
cmp_ok($summary->{'hits raised'}, '>', 0, 'the stream\'s own thread was counted');
is_deeply($books->{lost}, [($summary->{lost}) x 2], 'perf is told what was lost');

# --- By one CPU's instructions -------------------------------------------------------------------

# Each line is due a second after the last, and is printed when a round ends.
$seconds = 2;
for my $command ($overwriting, $streaming) {
    ($machine, $summary, $first) = record_for($command, $seconds);
    my ($took, $rate) = @{books_ok($machine, $summary, $first, $seconds)}{qw(took rate)};
    my $lines = () = $machine->console =~ /fs-stress: \d+ of 1000000/g;
    cmp_ok($rate, '>', 99, sprintf('ticks kept their rate (%.1f a second)', $rate));
    cmp_ok($took, '<', 2 * ($lines + 1),
        sprintf('... and lines kept coming (%d in %.1f s)', $lines, $took));
}

done_testing();
