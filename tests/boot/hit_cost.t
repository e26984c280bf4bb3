#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/tracepoint, core/event, core/sample, arch/x86_64/entry/gate
# of: kernel/syscall/syscalls
#
# The cost of a hit, in executed guest instructions (docs/bench.md), in both kernels. A counted hit
# costs at most the same small number at each tracepoint, because its arguments are not processed
# until a probe needs them. docs/bench.md has the measured numbers. Run from the root of the tree:
#
#     prove tests/boot/hit_cost.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::HitCost;
use Pitot::Transcript;
use Pitot::Versions;

my $build = $ENV{BUILD} // 'build';
my $counted = 130;

# docs/bench.md has the figures of gcc 12.
my $newer = differs('a hit takes up to 5 % more instructions than in [bench](bench.md)');
my $fewer = differs('a hit takes up to 12 % fewer instructions than in [bench](bench.md)');

# The most instructions for each case of `bench`, with full rings: the aims of docs/bench.md where
# it has one. With frame pointers functions have longer prologues and epilogues. `written`: a watch
# with breakpoint:hit.
my %most = (
    orc => {count => 130, sample => 240, 'chain-6' => 640, frame => $newer ? 46 : 45,
        'trace-sample' => 200, 'trace-raw' => 255, 'trace-regs' => 525,
        'trace-chain-6' => $newer ? 700 : 680,
        'written-count' => 235, 'chain-trap' => 1350, 'chain-program' => 3200},
    fp => {count => 130, sample => 245, 'chain-6' => 1000, frame => 19, 'trace-sample' => 206,
        'trace-raw' => 255, 'trace-regs' => 535, 'trace-chain-6' => 680,
        'written-count' => 250, 'chain-trap' => 1900, 'chain-program' => 3350},
);

for my $kernel (['orc', $build], ['fp', $ENV{FP_BUILD} // "$build/fp"]) {
    my ($unwinder, $directory) = @$kernel;
    my $cost = measure_hits($directory, 'perf list *:*');
    my $machine = $cost->{machine};
    ended_ok($machine, "UNWINDER=$unwinder");
    my %ticks = %{$cost->{ticks}};
    for my $case (sort keys %{$most{$unwinder}}) {
        cmp_ok($ticks{$case} // 'inf', '<=', $most{$unwinder}{$case}, "... $case");
    }
    for my $case ('trace-count', 'call-count', 'call-named-count') {
        cmp_ok($ticks{$case} // 'inf', '<=', $counted, "... $case: counted");
    }
    my %each = %{$cost->{counted}};
    my @all = said($machine, 'perf list *:*') =~ /^ +([a-z_]+:[a-z]\w+) /mg;
    is(join(' ', sort keys %each), join(' ', sort @all), '... each tracepoint is counted');
    cmp_ok(scalar(keys %each), '>', 60, '... and they are many');
    is_deeply({map { $_ => $each{$_} } grep { $each{$_} > $counted } keys %each}, {},
        "... for at most $counted instructions");

    # With the table, a chain's look-ups depend on where functions lie, and breakpoint:hit has to
    # search back for the accessing instruction over a distance that varies; everything else depends
    # only on the compiler's version.
    my @old = grep {
        my $apart = $_->{case} =~ /chain|frame|most|written-raw/ ? 0.15
            : $fewer ? 0.13 : $newer ? 0.06 : 0.04;
        abs($ticks{$_->{case}} - $_->{$unwinder}) > $apart * $_->{$unwinder};
    } @{hit_table()};
    is_deeply([map { "$_->{label}: $ticks{$_->{case}}, not $_->{$unwinder}" } @old], [],
        '... docs/bench.md tells it (make bench-table)');
}

done_testing();
