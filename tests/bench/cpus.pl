#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
#
# The events per second that 1, 2, 4 and 8 CPUs record together in QEMU; a part of `make bench`. The
# command `bench-cpus` of the test kernel raises them; docs/bench.md explains the figures.
#
# QEMU runs all CPUs in one thread of the host, as tools/machine configures it, or each in its own.
# In the latter case it misses some watched accesses, so `watch` is left out.
use strict;
use warnings;

use List::Util qw(max);

use lib 'tests/lib';
use Pitot;

my @cpus = (1, 2, 4, 8);
my $rounds = 5;    # in each boot; the fastest counts
my @parts = qw(ring trace watch);
my %title = (
    ring => 'ring_output, 64 bytes',
    trace => 'tracepoint, 32 raw bytes',
    watch => 'breakpoint sample',
);

# The best total of each part, in events per second.
sub measure
{
    my ($accel, $cpus, @wanted) = @_;
    my $machine = boot(kernel => 'pitot-test', accel => $accel, icount => '', smp => $cpus,
        run => "bench-cpus @{[(@wanted) x $rounds]}; poweroff", timeout => 300);
    die("SMP=$cpus ACCEL=$accel: the machine ended with status "
            . $machine->status . "\n" . $machine->tail) if $machine->status;

    my %best;
    for my $line (split(/\n/, $machine->console)) {
        my ($part, $said) = $line =~ /^bench-cpus (\w+): (.*)/ or next;
        my ($ran, $events, $recorded, $total) =
            $said =~ /^(\d+) CPUs, (\d+) events, (\d+) recorded, \d+ ns, (\d+) a second/
            or die("SMP=$cpus ACCEL=$accel: $part: $said\n");
        die("SMP=$cpus ACCEL=$accel: $part: $said\n") if $ran != $cpus || $events != $recorded;
        $best{$part} = max($best{$part} // 0, $total);
    }
    for my $part (@wanted) {
        die("SMP=$cpus ACCEL=$accel: nothing of $part\n" . $machine->tail) if !$best{$part};
    }
    return \%best;
}

sub print_accelerator
{
    my ($accel, @wanted) = @_;
    my %best = map { $_ => measure($accel, $_, @wanted) } @cpus;
    printf("%-34s" . '%27s' x @cpus . "\n", $accel,
        map { $_ == 1 ? '1 CPU' : "$_ CPUs" } @cpus);
    for my $part (@wanted) {
        my $one = $best{$cpus[0]}{$part};
        printf("%-34s%s\n", $title{$part}, join('', map {
            sprintf('%27s', sprintf('%d / %d x%.2f', $best{$_}{$part}, $best{$_}{$part} / $_,
                $best{$_}{$part} / $one))
        } @cpus));
    }
}

chomp(my $host = `nproc`);
$| = 1;
print("events a second: all CPUs / each, and all against one CPU's; the host has $host CPUs\n");
print_accelerator('tcg,thread=single', @parts);
print_accelerator('tcg,thread=multi', grep { $_ ne 'watch' } @parts);
