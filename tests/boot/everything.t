#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
#
# Everything is recorded while the machine works as hard as it can: all tracepoints, a watch of the
# big kernel lock and the clock, with records and chains, for a minute of the guest's time; then as
# a stream, for ten seconds. The machine goes on answering, the clock keeps ticking, and what the
# console counts is what the real perf finds. (tests/kernel/everything_suite.c closes the books from
# the inside.) QUICK=1: five seconds each. Run from the root of the tree:
#
#     prove tests/boot/everything.t
use strict;
use warnings;
use lib 'tests/lib';
use List::Util qw(sum0);
use Test::More;
use Pitot;

my $everything = '-e *:*,mem:kernel_flag:rw,cpu-clock -g -R -- fs-stress --threads 4 1000000';
my $overwriting = "perf record --overwrite -m 4m $everything";
my $streaming = "perf record -m 256k $everything";
my $before = 'perf record -e timer:tick -R -- fs-stress 100';
my $prompt = qr/^pitot> $/m;
my $whole = '2144df1c';    # docs/stream.md
my $patience = 60;         # a hang detector, as all times of the host here

# What `perf record` said at its end, by the word before or behind each number.
sub summary
{
    my ($said) = @_;
    my ($line) = $said =~ /^\[ perf record: (.*) \]$/m or return {};
    my %number = ('records kept' => 0, lost => 0, overwritten => 0, 'of them' => 0,
        'hits raised' => 0, 'hits of tracepoints' => 0);
    $number{$2} = $1 while $line =~ /(\d+) ([a-z]+(?: (?:kept|them|raised|of tracepoints))?)/g;
    return \%number;
}

# Runs it for so many seconds of the guest, which fs-stress tells by a line each, and stops it by
# ^C. What it said at its end, and how many rounds it told of.
sub run_for
{
    my ($machine, $command, $seconds) = @_;
    my @rounds;
    $machine->send("$command\n");
    for (1 .. $seconds) {
        push(@rounds, $machine->expect(qr/fs-stress: \d+ of 1000000/, $patience)
            =~ /(\d+) of 1000000$/);
    }
    $machine->send("\x03");
    return ($machine->expect($prompt, $patience), @rounds);
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

# The samples that perf finds behind those of the recording before, in the order of the stream:
# {event, time}, and a tick's count. Chains are left out, as there are many.
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

# How often an event is there.
sub number_of
{
    my ($event, @samples) = @_;
    return scalar(grep { $_->{event} eq $event } @samples);
}

# One recording behind a short one, which says how far clock and ticks were before.
sub record_for
{
    my ($command, $seconds) = @_;
    my $machine = start(flags => 'perf.rate=0', timeout => 10 * $patience);
    $machine->expect($prompt, $patience);
    $machine->send("$before\n");
    my $first = summary($machine->expect($prompt, $patience));
    my ($said, @rounds) = run_for($machine, $command, $seconds);
    my @stopped = $said =~ /^fs-stress: stopped after (\d+) of/mg;
    is(scalar(@stopped), 4, "$seconds seconds of everything: four threads work, and stop at ^C");
    is_deeply([sort { $a <=> $b } @rounds], \@rounds, '... told each second how far it was');
    answers_ok($machine);
    $machine->send("poweroff\n");
    $machine->wait_end;
    ended_ok($machine);
    return ($machine, summary($said), $first);
}

# What both recordings have in common. Each line is due a second of the guest's clock behind the
# last; what all of them together were late is more than any one was.
sub books_ok
{
    my ($machine, $summary, $first, $seconds, $late) = @_;
    my @samples = samples_of($machine);
    my @ticks = grep { defined $_->{count} && $_->{event} eq 'timer:tick' } @samples;
    my $rate = ($ticks[-1]{count} - $ticks[0]{count}) / ($ticks[-1]{time} - $ticks[0]{time});
    cmp_ok($rate, '>', 70, sprintf('ticks kept their rate (%.1f a second)', $rate));
    cmp_ok($rate, '<', 101, '... and are no more than a hundred');

    my $last = (splice(@samples, 0, $first->{'records kept'}))[-1];
    my $took = $samples[-1]{time} - $last->{time};
    cmp_ok($took, '>', $seconds, 'the recording is as long as the load says');
    cmp_ok($took, '<', $seconds + $late, '... whose lines kept coming');
    is(scalar(@samples), $summary->{'records kept'}, 'perf has what was kept');
    my @back = grep { $samples[$_]{time} < $samples[$_ - 1]{time} } 1 .. $#samples;
    is(scalar(@back), 0, '... in order of time');
    cmp_ok(number_of('cpu-clock', @samples), '>', 0, '... the clock has samples');
    cmp_ok(number_of('mem:kernel_flag:rw', @samples), '>', 0, '... and the watch');
    is($summary->{'hits of tracepoints'}, 0, 'no tracepoint was hit by the recording of another');
    is(crc32_of($machine->com2), $whole, 'the checksum tells that the stream is whole');
    unlike(scalar(perf_run('report', $machine, '--stdio', '-g', 'none')),
        qr/out of order|unordered/i, '... in order');
    return @samples;
}

sub lost_in
{
    my ($machine) = @_;
    my $dump = perf_run('report', $machine, '-D');
    return (sum0($dump =~ /PERF_RECORD_LOST: id:\d+: lost:(\d+)$/mg),
        sum0($dump =~ /LOST_SAMPLES: id:\d+: lost samples :(\d+)$/mg));
}

# --- The newest of a minute ----------------------------------------------------------------------

my $seconds = $ENV{QUICK} ? 5 : 60;
my ($machine, $summary, $first) = record_for($overwriting, $seconds);
my @samples = books_ok($machine, $summary, $first, $seconds, 3 + $seconds / 5);
cmp_ok($summary->{overwritten}, '>', $summary->{'records kept'}, 'most of it was overwritten');
cmp_ok(abs(number_of('breakpoint:hit', @samples) - number_of('mem:kernel_flag:rw', @samples)),
    '<=', 1, 'each debug trap has both its records');
cmp_ok(abs(number_of('irq:irq_handler_entry', @samples) - number_of('irq:irq_handler_exit',
    @samples)), '<=', 1, 'each interrupt has both its records');
is_deeply([lost_in($machine)], [0, $summary->{overwritten}], 'perf is told what was overwritten');

# --- While it streams ----------------------------------------------------------------------------

# The port takes half of the CPU, and a round of the load as much as a second.
$seconds = $ENV{QUICK} ? 5 : 10;
($machine, $summary, $first) = record_for($streaming, $seconds);
@samples = books_ok($machine, $summary, $first, $seconds, 10 + 2 * $seconds);
cmp_ok($summary->{'of them'}, '>', 0, 'most of it left while it ran');
cmp_ok($summary->{'hits raised'}, '>', 0, 'the stream\'s own thread was counted');
is_deeply([lost_in($machine)], [$summary->{lost}, 0], 'perf is told what was lost');

done_testing();
