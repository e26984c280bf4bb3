#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside/pitot/stat.c, outside/pitot/watch.c
#
# `pitot stat` prints the plugin's counts as perf stat does, and reports what was not counted. The
# plugin is a script (tests/lib/Pitot/StandIn.pm). Run from the root of the tree:
#
#     prove tests/host/outside_stat.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot::StandIn;

my $room = stand_in_room();
my @qemu = ("$room/qemu", '-kernel', "$room/kernel.elf");

# The counts by name, and what stands around them, without the time.
sub counted
{
    my (undef, $complaints, $status) = pitot(@_, '--', @qemu);
    my %counts = reverse($complaints =~ /^ +(\d+|<not counted>)      (\S+)$/mg);
    my $seconds = $complaints =~ /^ +\d+\.\d{9} seconds time elapsed$/m;
    my ($command) = $complaints =~ /^ Performance counter stats for '(.*)':$/m;
    return (\%counts, $command, $seconds, $status, [$complaints =~ /^pitot: (.*)$/mg]);
}

my @events = ('-e', 'call:vfs_*,mem:run_queue:w');
plugin_says(begin(1), count(0, 70), count(1, 8_000_000_000),
    end(instructions => 9_000, calls => 120, interrupts => 4));
my %said = (instructions => 9_000, calls => 120, interrupts => 4);
is_deeply([counted('stat', @events)],
    [{'call:vfs_*' => 70, 'mem:run_queue:w' => 8_000_000_000, %said}, "@qemu", 1, 0, []],
    'counts of events, and of the run');
like(request_words(), qr/,event=call:\S+:0,event=mem:\w+:64:w:0$/,
    '... for which the plugin is asked for no sample');

plugin_says(begin(1), count(0, 8_999), end(instructions => 9_000));
is_deeply([(counted('stat'))[0]], [{instructions => 8_999}], 'instructions are counted once');
plugin_says(begin(1), count(0, 4), end(instructions => 9_000, calls => 120, interrupts => 4));
is_deeply([(counted('stat', '-e', 'irq'))[0]], [{instructions => 9_000, calls => 120, irq => 4}],
    '... and so are interrupts');
unlike(request_words(), qr/chains=0/, '... for which calls are followed');

plugin_says(begin(1), count(0, 0), end(instructions => 9_000, within => 0));
is_deeply([(counted('stat', '-e', 'irq', '--start', 'vfs_read'))[4]],
    [['--start vfs_read was not reached']], 'a --start that does not come');

plugin_says(begin(1), unknown(-0x6ffffff0), count(0, 0), end(instructions => 0));
is_deeply([(counted('stat', '-e', 'call:vfs_*'))[0, 4]], [{'call:vfs_*' => 0, instructions => 0},
    ['the code at 0xffffffff90000010 is not in kernel.elf, nor is any that has run in the upper '
        . 'half since the last reset; --kernel ELF names another',
        "no code of the kernel's file ran; --kernel ELF names another"]],
    'that no code of the file ran is said beside the zeros');

my $killed = 'QEMU was killed: its last counts are lost';
plugin_says(begin(1), count(0, 70));
{
    local $ENV{STAND_IN_END} = 'signal KILL';
    my ($counts, undef, undef, $status, $losses) = counted('stat', '-e', 'call:vfs_*');
    is_deeply([$counts, $status, $losses],
        [{'call:vfs_*' => '<not counted>'}, 128 + 9, [$killed]], 'a QEMU that is killed has none');
    plugin_says('');
    is_deeply([(counted('stat'))[0, 4]], [{instructions => '<not counted>'},
        ['QEMU exited before its plugin wrote anything']], '... nor one that did not begin');
}

done_testing();
