#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside/pitot, docs/outside.md
#
# The request that `pitot repeat` sends to the plugin in each run, how it recognizes that a run's
# console printed the pattern, and what it and --shake refuse. Run from the root of the tree:
#
#     prove tests/host/outside_repeat.t
use strict;
use warnings;
use lib 'tests/lib';
use Test::More;
use Pitot::Files;
use Pitot::StandIn;

my $room = stand_in_room();
my %environment = (STAND_IN_VERSION => '10.0.0');
my @machine = ("$room/talks", '-kernel', "$room/kernel.elf", '-smp', 2);

# Takes QEMU's place: prints $TALK in the runs that $RUNS matches. The run's number is the length of
# a file that grows by a byte each run.
write_bytes("$room/talks", <<'END');
#!/bin/sh
case "$*" in
*-kernel*)
    printf x >> "$STAND_IN_ROOM/runs"
    grep -qx "$RUNS" "$STAND_IN_ROOM/runs" && printf "$TALK" ;;
esac
exec "$STAND_IN_ROOM/qemu" "$@"
END
chmod(0755, "$room/talks") or die("$room/talks: $!\n");

# Its console, its stderr, and its status.
sub repeat
{
    unlink("$room/runs");
    return pitot(\%environment, 'repeat', @_, '--', @machine);
}

# --- Runs ----------------------------------------------------------------------------------------

plugin_says(begin(2), where(ip => $place{panic} + 8, time => 1_000, calls => 0),
    end(instructions => 9));
my ($said, $complaints, $status) = repeat('-n', 3, '--shake', 7);
my @lines = map { "pitot: run $_, seed " . ($_ + 6) . ": ended with status 0\n" } 1 .. 3;
is($complaints, join('', @lines) . '[ pitot repeat: 3 runs, seed 7 and on: 0 said panic, '
        . "0 nothing for 30 s, 0 still ran after 600 s, 3 ended ]\n", 'runs that end');
is($status, 0, '... are in order');
like(request_words(), qr/,last=20,shake=9,event=insn:0$/,
    '... each with its own seed, and 20 calls of each CPU');
my $seed = (repeat('-n', 1))[1] =~ /seed (\d+) and on/ && $1;
like(request_words(), qr/,shake=$seed,/, 'without a seed one is chosen, and reported');

@environment{qw(RUNS TALK)} = ('xx*', 'starts\\nKernel Panic - here\\nmore\\n');
($said, $complaints, $status) = repeat('-n', 2, '--shake', 1);
is($said, "starts\nKernel Panic - here\nmore\n" x 2, 'the console is passed on');
my $panic = 'Kernel Panic - here';
like($complaints, qr/\Apitot: run 1, seed 1: $panic\n# CPU 0: /, '... a panic is reported');
is(() = $complaints =~ /^# CPU 0 was here, /mg, 1, '... with the last words of each CPU, once');
like($complaints, qr/^pitot: run 2, seed 2: $panic\n\[ pitot repeat: 2 runs, .*: 2 said panic, /m,
    '... and counted');
is($status, 1, '... by the status, too');

@environment{qw(RUNS TALK)} = ('xx', 'oops');
($said, $complaints, $status) = repeat('-n', 3, '--shake', 1, '--pattern', '^o+ps');
like($complaints, qr/^pitot: run 2, seed 2: oops$/m, '--pattern, in a line without an end');
like($complaints, qr/: 1 said \^o\+ps, .* 2 ended \]$/m, '... of one run of three');

my $long = 'x' x 700;
@environment{qw(RUNS TALK)} = ('x', "$long panic $long\\n");
like((repeat('-n', 1))[1], qr/^pitot: run 1, seed \d+: x+ panic x+$/m,
    '... at the end of a long line');
@environment{qw(RUNS TALK)} = ('x', "$long panic\\n");
like((repeat('-n', 1, '--pattern', '^ *x'))[1], qr/: x+$/m, '--pattern of a line\'s beginning');
like((repeat('-n', 1, '--pattern', '^x* panic$'))[1], qr/: 0 said/, '... which is gone');
@environment{qw(RUNS TALK)} = ('x', 'no\\nnot\\nlogin: ');
like((repeat('-n', 1, '--pattern', 'login: $'))[1], qr/^pitot: run 1, seed \d+: login: $/m,
    '... of its end');

# --- Runs in which nothing runs ------------------------------------------------------------------

$environment{TALK} = '';
for my $says ([], [begin(2), end(instructions => 0)]) {
    plugin_says(@$says);
    ($said, $complaints, $status) = repeat('-n', 3, '--shake', 7);
    like($complaints, qr/^pitot: run 1, seed 7: ended with status \d, and the kernel has not run$/m,
        'a run without the kernel');
    like($complaints, qr/^pitot: (?:QEMU exited before|no code of) /m, '... is told why');
    like($complaints, qr/: 1 run, .* 1 ended \]$/m, '... and is the last');
    is($status, 1, '... with its status');
}

# --- Refusals ------------------------------------------------------------------------------------

sub refused_ok
{
    my ($why, $wanted, $command, @words) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my (undef, $complaints, $status) = pitot(\%environment, $command, @words);
    is_deeply([$complaints, $status, [stand_in_words()]], ["pitot $command: $why\n", $wanted, []],
        "refused: $why");
}

my @qemu = ('--', @machine);
refused_ok('--pattern "(": Unmatched ( or \(', 1, 'repeat', '--pattern', '(', @qemu);
refused_ok('--silence "0": 1 to 1000000 seconds are allowed', 129, 'repeat', '--silence', 0, @qemu);
refused_ok('--timeout "1x": 1 to 1000000 seconds are allowed', 129, 'repeat', '--timeout', '1x',
    @qemu);
refused_ok('no QEMU command; pitot repeat [OPTION]... -- QEMU ARGUMENT...', 129, 'repeat');
my $threads = 'all CPUs in one thread, where no two run at the same time; '
    . 'use -accel tcg,thread=multi';
refused_ok("-icount: $threads", 1, 'repeat', @qemu, '-icount', 'shift=0');
refused_ok("-icount: $threads", 1, 'last', '--shake', 1, @qemu, '-icount', 'shift=0');
refused_ok("-accel: $threads", 1, 'last', '--shake', 1, @qemu, '-accel', 'tcg,thread=single');
my @one = ('--', @machine[0 .. 2]);
refused_ok("-icount: time stops with the CPU, so nothing can happen while it is stopped; "
    . "leave it out", 1, 'last', '--shake', 1, @one, '-icount', 'shift=0');
unlike((pitot(\%environment, 'last', '--shake', 1, @one, '-accel', 'tcg,thread=single'))[1],
    qr/thread=multi/, 'one CPU is stopped for interrupts, also in the only thread');
is((pitot(\%environment, 'cover', '--shake', 1, @qemu))[2], 129, '--shake of another command');

plugin_says(begin(2, 1), end());
($said, $complaints, $status) = repeat('-n', 3);
like($complaints, qr/^pitot repeat: .*version 1, not/, 'a run that fails is refused, and the last');
is($status, 1, '... with the status of a refusal');

done_testing();
