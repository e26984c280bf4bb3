#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/ring, core/sample, tests/bench/ring
#
# The cost of the ring, independent of the machine: the instructions that ring_output executes for
# an event, single-stepped, compared with those of the floor (tests/bench/ring/floor.c) and counted
# twice; and those of sample_take for a plain sample, compared with ring_output's for an existing
# event of the same length. `make bench` measures ns. Run from the root of the tree: prove
# tests/host/ring_cost.t
use strict;
use warnings;
use Test::More;

# The most instructions above the floor, for any payload and clock. gcc 12 needs 33 to 35.
use constant MORE_MOST => 37;

# The most that a sample may cost, relative to ring_output: less than 1, as its words come from
# registers. gcc 12: 0.80 with the clock and 0.78 without.
use constant SAMPLE_MOST => 0.83;

my $program = ($ENV{BUILD} // 'build') . '/bench/ring';

sub count
{
    my $text = qx($program instructions);
    is($?, 0, 'every ring keeps the newest events, whole and in order');
    return $text;
}

is(system('make', '-s', $program), 0, "$program is built") or BAIL_OUT('nothing to count');
my $text = count();
my @lines = split(/\n/, $text);
is(scalar(grep { / floor / } @lines), 8, 'four payloads, with and without the clock');
is(scalar(grep { / sample_take / } @lines), 2, '... and a sample');
for (@lines) {
    if (/^(.*): ring_output ([\d.]+) sample_take ([\d.]+)$/) {
        cmp_ok($3, '>', 50, "$1: its instructions are counted");
        cmp_ok($3, '<=', SAMPLE_MOST * $2, "$1: at most " . SAMPLE_MOST . ' times ring_output');
        next;
    }
    my ($case, $floor, $output) = /^(.*): floor ([\d.]+) ring_output ([\d.]+)$/
        or fail("a line reads: $_"), next;
    cmp_ok($floor, '>', 20, "$case: the floor's instructions are counted");
    cmp_ok($output - $floor, '<=', MORE_MOST, "$case: so much more than the floor, at most");
}
is(count(), $text, 'a second count gives the same');
done_testing();
