#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside/pitot
#
# `pitot last` prints the last calls of each CPU, the oldest first and indented by depth, and where
# each CPU was. The plugin is a script (tests/lib/Pitot/StandIn.pm). Run from the root of the tree:
#
#     prove tests/host/outside_last.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot::Files;
use Pitot::StandIn;

my $room = stand_in_room();
my @qemu = ('--', "$room/qemu", '-kernel', "$room/kernel.elf");

# Its output without leading blanks, and its status.
sub last_calls
{
    my (undef, $complaints, $status) = pitot('last', @_, @qemu);
    return ([map { s/^\s+//r } split(/\n/, $complaints)], $status);
}

my $columns = '#   BEFORE THE END |  FUNCTION CALLS';
my $rule = '------------------------------------------';
my @contexts = (context(1, 0, $place{kmain} + 0x10, 5), context(2, 1, $place{sched_run} + 0xfb, 5),
    context(3, 2, $place{vfs_read} + 4), context(4, 3, $place{timer_isr} + 0x20, 5));
my @threads = (thread(1, $place{kmain} + 0x10), thread(2, $place{idle_loop}));

sub at { return sprintf('%x %s+0x%x', $place{$_[0]} + $_[1], @_) }

my @first = (
    where(context => 4, thread => 1, ip => $place{panic} + 8, time => 1_000, calls => 70),
    last_call(context => 2, thread => 1, entry => $place{vfs_read}, time => 900),
    last_call(context => 3, thread => 1, entry => $place{timer_isr}, time => 950),
    last_call(context => 4, thread => 1, entry => $place{panic}, time => 990),
);
plugin_says(begin(1), @threads, @contexts, @first, end(instructions => 1));
my @cpu_0 = ('# CPU 0: the last 3 of 70 calls and interrupts', $columns, '100 |  vfs_read()',
    '==========> |    /* at vfs_read+0x4 */', '50 |    timer_isr()', '10 |      panic()',
    '# CPU 0 was here, after 1000 instructions:', at('panic', 8), at('timer_isr', 0x25),
    at('vfs_read', 4), at('sched_run', 0xff), at('kmain', 0x15));
is_deeply([last_calls()], [\@cpu_0, 0], 'calls, an interrupt with its place, and the chain');
like(request_words(), qr/,last=200,event=insn:0$/, '... of which the plugin keeps 200');
last_calls('-n', 7);
like(request_words(), qr/,last=7,event=insn:0$/, '... or as many as are asked for');

# --- Several CPUs, and threads -------------------------------------------------------------------

plugin_says(begin(2), @threads, @contexts, @first,
    where(cpu => 1, ip => $place{idle_loop}, thread => 2, time => 500, calls => 3),
    last_call(cpu => 1, context => 1, thread => 2, entry => $place{sched_run}, time => 100),
    last_call(cpu => 1, context => 1, thread => 1, entry => 0x1234, time => 200),
    last_call(cpu => 1, thread => 0, entry => $place{panic}, time => 300), end(instructions => 1));
is_deeply([last_calls()], [[@cpu_0,
    '# CPU 1: the last 3 of 3 calls and interrupts', $columns,
    '400 |    sched_run()', $rule, 'idle_loop-3 => kmain-2', $rule, '300 |    0x1234()',
    $rule, 'kmain-2 => ?-1', $rule, '200 |  panic()',
    '# CPU 1 was here, after 500 instructions:', at('idle_loop', 0)], 0],
    'each CPU, and each change of threads');

my @deep = map { context($_, $_ - 1, $place{kmain} + 0x20, 5) } 1 .. 100;
plugin_says(begin(1), @deep, where(ip => $place{kmain}, time => 500, calls => 3),
    map({ last_call(context => $_, entry => $place{kmain}, time => 100) } 1, 31, 32, 100), end());
is_deeply([map { /\|( +.*\(\))/ ? $1 : () } split(/\n/, (pitot('last', @qemu))[1])],
    ['  kmain()', ' ' x 62 . 'kmain()', map { ' ' x 62 . "[$_] kmain()" } 31, 99],
    'depths that a line has no room for');

# --- No results ----------------------------------------------------------------------------------

plugin_says(begin(1), where(ip => $place{kmain}, time => 5), end(instructions => 1));
is_deeply([last_calls()], [['# CPU 0: the last 0 of 0 calls and interrupts', $columns,
    '# CPU 0 was here, after 5 instructions:', at('kmain', 0)], 0], 'a CPU that called nothing');
plugin_says(begin(1), where(ip => 0x10, time => 5), end(instructions => 1));
is((last_calls())[0][3], '10 [unknown]', 'a place that has no name');
my $killed = 'pitot: QEMU was killed: its last counts are lost';
plugin_says(begin(1), @threads, @contexts);
{
    local $ENV{STAND_IN_END} = 'signal KILL';
    is_deeply([last_calls()], [[$killed], 128 + 9], 'a QEMU killed');
}
plugin_says(begin(1), end(instructions => 0));
is_deeply([last_calls()],
    [['pitot: no code of the kernel\'s file ran; --kernel ELF names another'], 0],
    'a kernel that did not run');

# --- Invalid records ------------------------------------------------------------------------------

for my $case (['last call in context 1', last_call(context => 1)],
    ['last call in context 9', where(), last_call(context => 9)],
    ['last call in context 0', where(), last_call(cpu => 1)],
    ['place in context 9', where(context => 9)]) {
    my ($what, @records) = @$case;
    plugin_says(begin(2), @contexts, @records, end(instructions => 1));
    like((last_calls())[0][-1], qr/^pitot last: the plugin's \Q$what\E is invalid$/, $what);
}

# --- Assembly without sizes ----------------------------------------------------------------------

write_bytes("$room/bare.s", ".globl alone\nalone: nop\nret\n");
system('as', '--64', "$room/bare.s", '-o', "$room/bare.o") == 0
    && system('ld', '-e', 'alone', sprintf('-Ttext=0x%x', $place{kmain}), "$room/bare.o", '-o',
        "$room/kernel.elf") == 0
    or die("no kernel\n");
plugin_says(begin(1), where(ip => $place{kmain} + 1, time => 30, calls => 1),
    last_call(entry => $place{kmain} + 2, time => 10), end(instructions => 1));
is_deeply([(last_calls())[0]->@[2, 4]],
    [sprintf('20 |  0x%x()', $place{kmain} + 2), sprintf('%x alone+0x1', $place{kmain} + 1)],
    'a function without a size ends with its section');

done_testing();
