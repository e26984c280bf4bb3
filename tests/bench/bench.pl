#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
#
# `make bench`: what hits, frames and tables cost. Nine parts, each a table; docs/bench.md explains
# how they are measured and how to read them.
#
#   the kernel     guest instructions of a hit and a frame, for each UNWINDER that is built
#   what it reads  the cache lines that a hit reads, by structure (hit_lines.pl)
#   many CPUs      events per second that 1, 2, 4 and 8 CPUs record (cpus.pl)
#   ports          the cost of a byte on each port that the stream can use (ports.pl)
#   outside        CPU-seconds of QEMU with the plugin and without it (outside.pl)
#   frames         ns and instructions on this machine, beside other unwinders ($BUILD/bench/unwind)
#   rings          ns and instructions of an event, beside LTTng-UST and others (ring/ring.pl)
#   look-ups       tables of Linux' size and larger ($BUILD/bench/tables)
#   bytes          of unwind information, by format (sizes.pl)
use strict;
use warnings;

use List::Util qw(uniq);

use lib 'tests/lib';
use Pitot::HitCost;

my $build = $ENV{BUILD} // 'build';
my @builds = grep { -e "$_/test/pitot.iso" } uniq($build, $ENV{FP_BUILD} // "$build/fp");

# Linux 6.1.192, kernel data watch of 8 bytes, one CPU, same emulator and method. The fixed part of
# its chains is included in the frames.
my %linux = (
    'count'     => 476,     # counting only, user variable: the nearest measured case
    'sample'    => 1400,
    'chain-6'   => 4553,
    'chain-16'  => 10324,
    'chain-116' => 68080,
    'trace-off' => 1,
    'trace-raw' => 1400,
    'trace-chain-6' => 7778,
);

my %aim = (count => 130, sample => 240, 'chain-6' => 640, 'trace-count' => 130,
    'call-count' => 130, 'counted-most' => 130, 'trace-off' => 1, 'trace-raw' => 255,
    'trace-chain-6' => 680);
my $linux_frame = '355 to 577';    # by ORC: depends on the frames
my %aim_frame = (orc => 45, fp => 19);

# The unwinder of a build, from the compiler's flags that the Makefile records.
sub unwinder
{
    my ($directory) = @_;
    open(my $file, '<', "$directory/flags") or die("$directory/flags: $!\n");
    return <$file> =~ /-fomit-frame-pointer/ ? 'orc' : 'fp';
}

# The kernel's own measurements (tests/lib/Pitot/HitCost.pm). Instructions are not time, but they
# are the same on every machine.
sub measure_guest
{
    my ($directory) = @_;
    my $cost = measure_hits($directory);
    my $machine = $cost->{machine};
    die("the machine ended with status " . $machine->status . "\n" . $machine->tail)
        if $machine->status;
    $cost->{unwinder} = unwinder($directory);
    for my $line (split(/\n/, $machine->console)) {
        if ($line =~ /^bench calibration: (\d+) instructions in (\d+) ticks/) {
            printf("UNWINDER=%-4s calibration: %d instructions take %d ticks\n",
                $cost->{unwinder}, $1, $2);
            die("a tick is not an instruction here\n") if abs($1 - $2) > $1 / 1000;
        } elsif ($line =~ /^bench entry-to-command: (\d+) ns/) {
            printf("UNWINDER=%-4s kernel entry to the first command: %d instructions\n",
                $cost->{unwinder}, $1);
        }
    }
    return $cost;
}

sub print_guest
{
    my (@results) = @_;
    my $columns = '%12s' x @results;
    printf("\n%-34s$columns %8s %14s\n", 'guest instructions, trap to iret',
        (map { $_->{unwinder} } @results), 'aim', 'Linux 6.1');
    for my $case (@{$results[0]{order}}) {
        my $bytes = $results[0]{bytes}{$case} // 0;
        printf("%-34s$columns %8s %14s   %s\n", $case, (map { $_->{ticks}{$case} } @results),
            $aim{$case} // '', $linux{$case} // '', $bytes ? "$bytes bytes a sample" : '');
    }
    for my $chains ([6, 16], [16, 116]) {
        printf("%-34s$columns %8s %14s\n", "a frame ($chains->[1] against $chains->[0])",
            (map { sprintf('%.1f', frame_cost($_->{ticks}, @$chains)) } @results),
            join(', ', map { $aim_frame{$_->{unwinder}} } @results), $linux_frame);
    }
}

# Runs a part that is a program.
sub run_part
{
    my ($title, @command) = @_;
    print("\n--- $title\n\n");
    printf("processor: %s\n\n", processor()) if $title =~ /on this machine/;
    system(@command) == 0 or die("$command[0] failed\n");
}

sub processor
{
    open(my $file, '<', '/proc/cpuinfo') or return 'unknown';
    my ($model) = map { /^model name\s*: (.*)$/ } <$file>;
    return $model // 'unknown';
}

$| = 1;
printf("this machine's processor: %s\n\n", processor());
print("--- The kernel, in the emulator\n\n");
print_guest(map { measure_guest($_) } @builds);
run_part('What a hit reads, in the emulator', $^X, 'tests/bench/hit_lines.pl');
run_part('Many CPUs, in the emulator', $^X, 'tests/bench/cpus.pl');
run_part('Ports, in the emulator', $^X, 'tests/bench/ports.pl');
run_part('Outside, what it costs the emulator', $^X, 'tests/bench/outside.pl');
run_part('Frames, on this machine', "$build/bench/unwind");
run_part('Rings, on this machine', $^X, 'tests/bench/ring/ring.pl', "$build/bench/ring");
run_part('Look-ups, on this machine', "$build/bench/tables");
run_part('Bytes', $^X, 'tests/bench/sizes.pl', @builds);
