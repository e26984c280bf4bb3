#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside/pitot
#
# `pitot graph` adds up the costs of all paths through a function, as a tree of its callees, without
# interrupts. The plugin is a script (tests/lib/Pitot/StandIn.pm). Run from the root of the tree:
#
#     prove tests/host/outside_graph.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot::StandIn;

my $room = stand_in_room();
my @qemu = ('--', "$room/qemu", '-kernel', "$room/kernel.elf");

# Its output without the blanks in its columns: the graph's lines, and the other lines.
sub graph
{
    my (undef, $complaints, $status) = pitot('graph', @_, @qemu);
    my @lines = map { s/\s*\|/ |/r =~ s/^\s+|\s+$//gr =~ s/(\d) +(?=\d)/$1 /gr }
        split(/\n/, $complaints);
    return ([grep { !/^pitot/ } @lines], [map { /^pitot: (.*)/ ? $1 : () } @lines], $status);
}

my $head = '#    calls       instructions             each           self |  FUNCTION CALLS';
my @paths = (
    function(1, 0, $place{kmain}),
    function(2, 1, $place{vfs_read}), function(3, 2, $place{idle_loop}),
    function(4, 2, $place{panic}),
    function(5, 0, $place{sched_run}), function(6, 5, $place{vfs_read}),
    function(7, 6, $place{idle_loop}),
    function(8, 7, $place{vfs_read}),      # called directly
);
my @costs = (cost(1, 1, 50), cost(2, 10, 1_000), cost(3, 20, 400), cost(4, 1, 7), cost(5, 1, 60),
    cost(6, 5, 501), cost(7, 5, 100), cost(8, 1, 30));
my @tree = (
    '15 2038 135 1501 |  vfs_read() {',
    '25 530 21 500 |    idle_loop() {',
    '1 30 30 30 |      vfs_read();',
    '|    }',
    '1 7 7 7 |    panic();',
    '|  }',
);
plugin_says(begin(1), @paths, @costs, count(0, 16), end(instructions => 9_000));
is_deeply([graph('vfs_read')], [[$head, @tree], [], 0],
    'a function, from all its callers, with what it calls in the order of cost');
like(request_words(), qr/,graph=1,event=call:\S+:0$/, '... for which the plugin is asked');
my @cut = ('15 2038 135 1501 |  vfs_read() {', '25 530 21 500 |    idle_loop() { ... }',
    '1 7 7 7 |    panic();', '|  }',
    '# { ... }: deeper calls are in its cost; --depth shows more');
is_deeply([graph('--depth', 2, 'vfs_read')], [[$head, @cut], [], 0], 'a depth');
is_deeply([graph('vfs_read', '--depth=2')], [[$head, @cut], [], 0], '... in any place');
plugin_says(begin(1), @paths, @costs, count(0, 16), count(1, 25), end(instructions => 9_000));
is_deeply([graph('vfs_read', 'idle_loop')], [[$head, @tree], [], 0],
    'several, of which one is only called by the other');
plugin_says(begin(1), @paths, @costs, count(0, 16), end(instructions => 9_000));
is_deeply([graph('vfs_r*')], [[$head, @tree], [], 0], 'a pattern');
plugin_says(begin(1), @paths, @costs, count(0, 1), count(1, 1), end(instructions => 9_000));
is_deeply([graph('panic', 'kmain')],
    [[$head, '1 1457 1457 50 |  kmain() {', '10 1407 140 1000 |    vfs_read() {',
        '20 400 20 400 |      idle_loop();', '1 7 7 7 |      panic();', '|    }', '|  }'], [], 0],
    '... or is in the other');

# --- Interrupts ----------------------------------------------------------------------------------

my @interrupts = (
    handler(20, 3, $place{timer_isr} + 4), function(21, 20, $place{sched_run}),
    function(22, 21, $place{vfs_read}), function(23, 22, $place{panic}),
    handler(24, 21, $place{timer_isr} + 8),           # interrupts the handler
    handler(25, 1, $place{timer_isr} + 4),            # interrupts code that vfs_read has not called
);
plugin_says(begin(1), @paths[0 .. 3], @interrupts, @costs[0 .. 3], cost(20, 1, 5), cost(21, 1, 11),
    cost(22, 1, 13), cost(23, 1, 17), cost(24, 1, 2), cost(25, 1, 1_000), count(0, 11),
    end(instructions => 9_000));
is_deeply([graph('vfs_read')], [[$head,
    '11 1437 130 1013 |  vfs_read() {', '20 400 20 400 |    idle_loop();',
    '2 24 12 24 |    panic();', '|  }',
    '# interrupts meanwhile, not in the costs above', '==========> |',
    '2 48 24 7 |  timer_isr() {', '1 41 41 11 |    sched_run() {', '1 30 30 13 |      vfs_read() {',
    '1 17 17 17 |        panic();', '|      }', '|    }', '|  }', '<========== |'], [], 0],
    'interrupts are apart, and what is called in one is called');

plugin_says(begin(1), @paths[0 .. 3], @interrupts, @costs[0 .. 3], cost(20, 1, 5), cost(21, 1, 11),
    cost(25, 1, 1_000), count(0, 0), end(instructions => 9_000));
is_deeply([graph('timer_isr')], [[$head, '2 1016 508 1005 |  timer_isr() {',
    '1 11 11 11 |    sched_run();', '|  }'], [], 0], '... but a handler may be asked for');

# --- No results ----------------------------------------------------------------------------------

plugin_says(begin(1), @paths, @costs, count(0, 0), end(instructions => 9_000));
is_deeply([graph('vfs_write')], [[], ['vfs_write never ran'], 0], 'a function that never ran');
plugin_says(begin(1), @paths, @costs, count(0, 3), end(instructions => 9_000));
my $jumped = 'vfs_write was not called; code reached by a jump or syscall has no graph';
is_deeply([graph('vfs_write')], [[], [$jumped], 0], '... that was not called');
plugin_says(begin(1), @paths, @costs, count(0, 3), count(1, 16), end(instructions => 9_000));
is_deeply([graph('vfs_write', 'vfs_read')], [[$head, @tree], [$jumped], 0],
    '... beside one that was');
plugin_says(begin(1), @paths);
{
    local $ENV{STAND_IN_END} = 'signal KILL';
    is_deeply([graph('vfs_read')],
        [[], ['QEMU was killed: its last counts are lost'], 128 + 9], 'a QEMU killed');
}
for my $case ([cost(99, 1, 1), 'the plugin\'s cost of context 99 is invalid'],
    [cost(0, 1, 1), 'the plugin\'s cost of context 0 is invalid']) {
    plugin_says(begin(1), $case->[0]);
    is((pitot('graph', 'vfs_read', @qemu))[1], "pitot graph: $case->[1]\n", $case->[1]);
}

done_testing();
