#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: core/tracepoint, core/event, core/sample, arch/x86_64/entry/gate of:
# kernel/user/syscalls_trace
#
# What a hit may cost, in instructions that the guest executes (docs/bench.md), in both kernels. A
# hit that is counted costs no more than the same small number at each tracepoint there is: nothing
# is made of its arguments before a probe wants it. What docs/bench.md tells is what is measured.
# Run from the root of the tree:
#
#     prove tests/boot/hit_cost.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot;
use Pitot::HitCost;
use Pitot::Transcript;

my $build = $ENV{BUILD} // 'build';
my $counted = 130;

# By what `bench` calls them, in rings that are full; with frame pointers functions begin and end by
# more instructions. What a frame costs by the table depends on where functions happen to lie
# (docs/bench.md): chains have room for that. `written`: a watch, and breakpoint:hit beside it.
my %most = (
    orc => {count => 124, sample => 280, 'chain-6' => 870, 'trace-sample' => 268,
        'trace-raw' => 334, 'trace-regs' => 512, 'trace-chain-6' => 980,
        'written-count' => 252, 'chain-trap' => 1500, 'chain-program' => 3200},
    fp => {count => 131, sample => 293, 'chain-6' => 1150, 'trace-sample' => 279,
        'trace-raw' => 347, 'trace-regs' => 523, 'trace-chain-6' => 800,
        'written-count' => 268, 'chain-trap' => 2000, 'chain-program' => 3350},
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

    # By the table a chain's look-ups depend on where functions happen to lie; the rest on no more
    # than the compiler's version.
    my @old = grep {
        my $apart = $_->{case} =~ /chain|frame|most/ ? 0.15 : 0.04;
        abs($ticks{$_->{case}} - $_->{$unwinder}) > $apart * $_->{$unwinder};
    } @{hit_table()};
    is_deeply([map { "$_->{label}: $ticks{$_->{case}}, not $_->{$unwinder}" } @old], [],
        '... docs/bench.md tells it (make bench-table)');
}

done_testing();
