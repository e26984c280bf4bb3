#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/ring, tests/bench/ring
#
# What the ring costs, as far as it is the same on every machine: the instructions that ring_output
# executes for an event, single-stepped, beside those of the floor (tests/bench/ring/floor.c), and
# that two counts agree. ns are for `make bench` to measure. Run from the root of the tree:
# prove tests/host/ring_cost.t
use strict;
use warnings;
use Test::More;

use constant RATIO_MOST => 1.8;    # times the floor's; by gcc 12 it is 1.62 to 1.68

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
is(scalar(@lines), 6, 'three payloads, with and without the clock');
for (@lines) {
    my ($case, $floor, $output) = /^(.*): floor ([\d.]+) ring_output ([\d.]+)$/
        or fail("a line reads: $_"), next;
    cmp_ok($floor, '>', 20, "$case: the floor's instructions are counted");
    cmp_ok($output, '<=', RATIO_MOST * $floor, "$case: at most " . RATIO_MOST . ' times the floor');
}
is(count(), $text, 'a second count gives the same');
done_testing();
