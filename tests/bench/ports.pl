#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
#
# The cost of a byte in QEMU on the ports that the stream and the first messages can use; a part of
# `make bench`. The command `bench-ports` of the test kernel sends 128 KiB in pieces of 256 bytes.
# Instructions are the guest's, by -icount, and the same on each host; bytes per second are those of
# the emulator on this host, best of five, so only their ratio is meaningful.
use strict;
use warnings;

use List::Util qw(min);

use lib 'tests/lib';
use Pitot;

my $runs = 5;
my $room = ($ENV{BUILD} // 'build') . '/logs';
my %port = (
    'COM2' => {com2 => "$room/bench-ports.com2"},
    'virtio' => {com2 => 'none', virtio => "$room/bench-ports.virtio"},
);

# Nanoseconds of the machine for a byte, by destination.
sub ns_per_byte
{
    my ($icount, %options) = @_;
    my $machine = boot(kernel => 'pitot-test', icount => $icount, run => 'bench-ports; poweroff',
        %options);
    die($machine->tail) if $machine->status;
    my %ns = $machine->console =~ /^bench-ports (\w+): \d+ bytes, (\d+) ns$/mg;
    my ($bytes) = $machine->console =~ /^bench-ports \w+: (\d+) bytes/m;
    return map { $_ => $ns{$_} / $bytes } keys(%ns);
}

my (%instructions, %best);
for my $name (sort keys %port) {
    my %exact = ns_per_byte(1, %{$port{$name}});    # two nanoseconds per instruction
    my @timed = map { {ns_per_byte('', %{$port{$name}})} } 1 .. $runs;
    $instructions{$name} = $exact{stream} / 2;
    $best{$name} = min(map { $_->{stream} } @timed);
    $instructions{'port 0xE9'} = $exact{debugcon} / 2;
    $best{'port 0xE9'} = min($best{'port 0xE9'} // (), map { $_->{debugcon} } @timed);
}

printf("%-12s %18s %18s %10s\n", '', 'instructions/byte', 'million bytes/s', 'to COM2');
for my $name ('COM2', 'virtio', 'port 0xE9') {
    printf("%-12s %18.1f %18.2f %10.1f\n", $name, $instructions{$name}, 1000 / $best{$name},
        $best{COM2} / $best{$name});
}
