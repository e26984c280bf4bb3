#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
#
# `make bench`: what a recorded hit costs, in guest instructions. Boots the test kernel where one
# tick of the time stamp counter is one executed instruction (QEMU's -icount shift=0), lets its
# `bench` command measure, and puts the figures beside those of Linux 6.1 in the same emulator.
# Instructions are not time, but they are the same on every machine.
use strict;
use warnings;

use lib 'tests/lib';
use Pitot;

# Linux 6.1.192, kernel data watch of 8 bytes, one CPU, same emulator and method. Its fixed part of
# a chain is in the frames.
my %linux = (
    'count'     => 476,     # counting only, user variable: the nearest that was measured
    'sample'    => 1400,
    'chain-6'   => 4553,
    'chain-16'  => 10324,
    'chain-116' => 68080,
);

my %aim = (sample => 280);
my $aim_frame = 20;

my $machine = boot(kernel => 'pitot-test', icount => 1, run => 'bench; poweroff', timeout => 300);
die("the machine ended with status " . $machine->status . "\n" . $machine->tail)
    if $machine->status;

my (%ticks, %bytes, @order);
for my $line (split(/\n/, $machine->console)) {
    if ($line =~ /^bench (\S+): (\d+) ticks\/hit, (\d+) bytes\/sample/) {
        push(@order, $1);
        ($ticks{$1}, $bytes{$1}) = ($2, $3);
    } elsif ($line =~ /^bench calibration: (\d+) instructions in (\d+) ticks/) {
        printf("calibration: %d instructions take %d ticks\n", $1, $2);
        die("a tick is not an instruction here\n") if abs($1 - $2) > $1 / 1000;
    } elsif ($line =~ /^bench entry-to-command: (\d+) ns/) {
        printf("kernel entry to the first command: %d instructions, "
                . "25,000,000 of them to calibrate the clock\n", $1);
    }
}
die("the bench command printed nothing\n" . $machine->tail) if !@order;

printf("\n%-34s %12s %8s %14s\n", 'guest instructions, trap to iret', 'Pitot', 'aim', 'Linux 6.1');
for my $case (@order) {
    printf("%-34s %12d %8s %14s   %s\n",
        $case, $ticks{$case}, $aim{$case} // '', $linux{$case} // '',
        $bytes{$case} ? "$bytes{$case} bytes a sample" : '');
}
printf("%-34s %12.1f %8d %14s\n",
    'a frame (16 against 6)', ($ticks{'chain-16'} - $ticks{'chain-6'}) / 10,
    $aim_frame, '355 to 577');
