#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside, docs/outside.md, tests/guests
#
# `pitot repeat` on a kernel that seldom panics, on the same kernel fixed, and on one that hangs
# (tests/guests/shaken.c). Panics are chance: one of all the runs must panic, and there are enough
# for that on any host; no run of the fixed kernel may.
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use Test::More;
use Pitot::Files;
use Pitot::Guest;
use Pitot::Patience;
use Pitot::Perf;

plan skip_all => "a plugin is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/outside_repeat";
make_path($logs);
my @machine = ('qemu-system-x86_64', '-accel', 'tcg,thread=multi', guest_machine(), '-smp', 2,
    '-debugcon', 'stdio', '-kernel');
my $runs_most = 10;

# Its console, its stderr, and its status.
sub repeat
{
    my ($elf, @words) = @_;
    my ($status) = Pitot::Perf::run_between("$logs/out", "$logs/said", '/dev/null', 'timeout',
        $patience, "$build/outside/pitot", 'repeat', '--silence', $patience, @words, '--', @machine,
        $elf);
    return (slurp("$logs/out"), slurp("$logs/said"), $status);
}

link_guest('shaken', "$logs/wrong.elf");
link_guest('shaken', "$logs/mended.elf", '-DMENDED');
link_guest('shaken', "$logs/hangs.elf", '-DHANGS');

my ($console, $said, $status);
for my $turn (1 .. $runs_most) {
    ($console, $said, $status) = repeat("$logs/wrong.elf", '-n', 5, '--shake', 5 * $turn);
    last if $status;
}
my @panics = $said =~ /^(pitot: run \d, seed \d+: kernel PANIC: two owners)$/mg;
my $ended = 5 - @panics;
cmp_ok(scalar(@panics), '>', 0, 'a kernel that panics now and then') or diag($said);
my $panics = @panics;
like($said, qr/: $panics said panic, 0 nothing for .*, 0 still ran .*, $ended ended \]$/m,
    '... is counted');
is($console, "kernel PANIC: two owners\n" x @panics, '... and its console passed on');
my @stopped = $said =~ /^# CPU (\d) was here, /mg;
is("@stopped", '0 1', '... with the last words of each CPU, once');
like($said, qr/^ +[0-9a-f]+ stop\+0x0\n +[0-9a-f]+ panic\+0x\w+\n +[0-9a-f]+ claims\+0x/m,
    '... one of which panics');

(undef, $said, $status) = repeat("$logs/mended.elf", '-n', 5);
is($status, 0, 'the same kernel, mended, never does') or diag($said);
like($said, qr/: 0 said panic, 0 nothing for .* 5 ended \]$/m, '... in five runs');

(undef, $said, $status) = repeat("$logs/hangs.elf", '-n', 1, '--silence', 5);
is($status, 1, 'a kernel that hangs');
like($said, qr/^pitot: run 1, seed \d+: nothing for 5 s$/m, '... is reported') or diag($said);
like($said, qr/^# CPU 0 was here, .*\n +[0-9a-f]+ stop\+0x/m, '... and where it stopped');
like($said, qr/^pitot: QEMU's standard output stayed empty: is the kernel's console there/m,
    '... and that its console may be another');

done_testing();
