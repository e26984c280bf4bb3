#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
#
# Every way to die ends in the report that docs/traps.md promises, and in nothing else: what and
# where, registers, a call chain with names, the last samples, a last line, status 99. What the
# report says is held against the kernel's file and against the manual's error codes. Run from the
# root of the tree:
#
#     prove tests/boot/crash.t
#
# It runs on QEMU: Bochs has no exit status to give, and no button for NMIs.
use strict;
use warnings;
use lib 'tests/lib';
use Fcntl qw(SEEK_SET);
use IO::Socket::UNIX;
use Test::More;
use Time::HiRes qw(time);
use Pitot;

my $build = $ENV{BUILD} // 'build';
my $stopped = 2 * 0x31 + 1;    # boot/ports.c, and what QEMU makes of it
my $last_samples = 8;          # core/panic.c

# --- The kernel's file ---------------------------------------------------------------------------

my %address;      # of a symbol
my @symbols;      # [address, name], by address
for my $line (`nm -n $build/pitot.elf`) {
    my ($address, $kind, $name) = $line =~ /^([0-9a-f]{16}) (\w) (.*)$/ or next;
    next if $kind =~ /a/i;
    push(@symbols, [hex($address), $name]);
    $address{$name} = hex($address);
}

# The names for an address; more than one where several symbols begin.
sub names_at
{
    my ($address) = @_;
    my @before = grep { $_->[0] <= $address } @symbols;
    return map { $_->[1] } grep { $_->[0] == $before[-1][0] } @before;
}

# --- A report ------------------------------------------------------------------------------------

# Takes the console apart: {reason, registers => {name => value}, vector, error, chain => [{address,
# name, trap}], cut => frames left out, samples, last}. What is missing is undef.
sub report_of
{
    my ($machine) = @_;
    my ($reason, $text) = $machine->console =~ /^PANIC: (.*)\n(.*)\z/ms ? ($1, $2) : ('none', '');
    my ($head, $chain, $samples) = split(/^call chain:\n|^(?=last samples)/m, $text);
    my %report = (reason => $reason =~ s/\n.*//sr, samples => $samples);
    ($head, $chain) = ($text =~ /\A(.*?)^call chain:\n(.*?)^(?:last samples|Pitot stopped)/ms);
    ($report{registers}) = {($head // '') =~ /  (\w+) +([0-9a-f]{16})/g};
    @report{qw(vector error)} = map { hex } ($head // '') =~ /^  vector (\S+)  error (\S+)$/m;
    ($report{cut}) = ($chain // '') =~ /^  \.\.\. (\d+) frames \.\.\.$/m;
    while (($chain // '') =~ /^  ([0-9a-f]{16})  (\S+?)(?:\+0x[0-9a-f]+)?(  <trap>)?$/mg) {
        push(@{$report{chain}}, {address => hex($1), name => $2, trap => defined $3});
    }
    ($report{last}) = $text =~ /^(.*)\n\z/m;
    return \%report;
}
