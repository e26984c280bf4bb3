#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside/pitot, outside/wire.h
#
# `pitot blame` prints the writers of each place, as the plugin tells them, and no answer where it
# has none. The plugin is a script (tests/lib/Pitot/StandIn.pm). Run from the root of the tree:
#
#     prove tests/host/outside_blame.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot::StandIn;

my $room = stand_in_room();
my @qemu = ("$room/qemu", '-kernel', "$room/kernel.elf");
my $queue = $place{run_queue};

# The lines that `pitot blame` prints, each with one blank between its words.
sub blamed
{
    my ($said, $complaints, $status) = pitot('blame', @_, '--', @qemu);
    is($complaints, '', "pitot blame @_");
    return [map { s/^\s+//r =~ s/\s+/ /gr } split(/\n/, $said)];
}

# --- Places --------------------------------------------------------------------------------------

my @known = (begin(2), thread(1, $place{kmain} + 0x10), context(1, 0, $place{kmain} + 0x10, 5),
    context(2, 1, $place{sched_run} + 4));
plugin_says(@known, clock(0, 9_000), clock(1, 2_000_000_007),
    word(thread => 1, context => 2, address => $queue, ip => $place{timer_isr} + 8, time => 8_000),
    word(cpu => 1, address => $queue + 2, length => 4, ip => $place{vfs_read},
        time => 2_000_000_000, count => 12_345),
    word(place => 1, thread => 1, context => 1, address => $queue + 9, length => 1,
        ip => $place{panic}, time => 1), end(instructions => 9_000));
is_deeply(blamed('run_queue/8', 'run_queue+9/2', sprintf('0x%x', $queue + 16)), [
    'run_queue, 8 bytes (0xffffffff80101000):',
    'kmain 2 [000] 0.000008000: 1000 instructions ago',
    'ffffffff80100708 timer_isr+0x8', 'ffffffff80100204 sched_run+0x4',
    'ffffffff80100115 kmain+0x15',
    'kernel.elf 1 [001] 2.000000000: 12345 times in a row, bytes 2-5, 7 instructions ago',
    'ffffffff80100300 vfs_read+0x0', '',
    'run_queue+9, 2 bytes (0xffffffff80101009):',
    'kmain 2 [000] 0.000000001: byte 0, 8999 instructions ago',
    'ffffffff80100500 panic+0x0', 'ffffffff80100115 kmain+0x15', '',
    '0xffffffff80101010, 4 bytes (0xffffffff80101010):',
    'not written since the kernel began'], 'the newest write comes first');
is((stand_in_words())[1] =~ s/^.*?,writes/,writes/r,
    sprintf(',writes=3,place=%x:8,place=%x:2,at=%x:4,event=insn:0', $queue, $queue + 9,
        $queue + 16), '... which the plugin is asked for');

sub two_words
{
    my (%second) = @_;
    my %first = (thread => 1, context => 1, ip => $place{vfs_write}, time => 5, count => 2);
    plugin_says(@known, word(%first, address => $queue + 8),
        word(%first, address => $queue + 16, time => 6, %second), end(instructions => 9));
    return scalar(grep { /vfs_write/ } @{blamed('-n', 1, 'run_queue')});
}

is(two_words(), 1, 'neighbouring words with the same writers are one');
is(two_words(@$_), 2, "... not if another $_->[0] wrote")
    for [cpu => 1], [thread => 0], [context => 2], [count => 3], [length => 4];
is_deeply([grep { /:$|not/ } @{blamed('run_queue')}], [
    'run_queue, bytes 0-7 (0xffffffff80101000):', 'not written since the kernel began',
    'run_queue, bytes 8-15 (0xffffffff80101008):', 'run_queue, bytes 16-23 (0xffffffff80101010):',
    'run_queue, bytes 24-63 (0xffffffff80101018):', 'not written since the kernel began'],
    '... nor are words that nothing has written');

my @deep = map { context($_, $_ - 1, $place{kmain} + 0x20, 5) } 1 .. 200;
plugin_says(begin(1), @deep, word(context => 200, address => $queue, ip => $place{kmain}),
    end(instructions => 9));
my $lines = blamed('run_queue/8');
is(scalar(@$lines), 1 + 1 + 128 + 1, 'a chain of 200');
is($lines->[-1], '... and 73 more callers', '... is cut, which is said');

# --- No answer -----------------------------------------------------------------------------------

my $unrun = "pitot: no code of the kernel's file ran; --kernel ELF names another";
for my $case (['exit 0', end(), $unrun],
    ['signal KILL', '', 'pitot: QEMU was killed: what it counted last is not known']) {
    my ($how, $end, $why) = @$case;
    plugin_says(begin(1), $end);
    my ($said, $complaints) = pitot({STAND_IN_END => $how}, 'blame', 'run_queue', '--', @qemu);
    is_deeply([$said, $complaints], ['', "$why\n"], $why);
}
for my $damaged ([word(address => $queue, context => 7), 'write by CPU 0 in context 7'],
    [word(address => $queue, cpu => 256), 'write by CPU 256 in context 0'],
    [word(address => $queue, length => 0), 'write by CPU 0 in context 0'],
    [clock(256, 1), 'CPU 256'], [thread(1 << 20, 1), 'thread 1048576']) {
    my ($record, $what) = @$damaged;
    plugin_says(begin(1), $record);
    my ($said, $complaints, $status) =
        pitot({STAND_IN_END => 'parent CHLD'}, 'blame', 'run_queue', '--', @qemu);
    is_deeply([$said, $complaints, $status], ['',
        "pitot blame: the plugin's $what is impossible\n", 1], "refused: $what");
}

done_testing();
