#!/usr/bin/perl
# SPDX-License-Identifier: BSD-2-Clause
# of: outside
#
# `pitot graph` of all functions of Pitot's own kernel under fs-stress, with its threads, timers and
# work queue: each function is called as often as `pitot stat`, which follows no calls, counts its
# first instruction. Run from the root of the tree:
#
#     prove tests/boot/outside_graph.t
use strict;
use warnings;
use lib 'tests/lib';
use File::Path qw(make_path);
use Test::More;
use Pitot::Files;
use Pitot::Patience;
use Pitot::Perf;

plan skip_all => "a plugin is QEMU's" if ($ENV{MACHINE} // 'qemu') ne 'qemu';

my $build = $ENV{BUILD} // 'build';
my $logs = "$build/logs/outside_graph";
my $events = 90;    # of one command
make_path($logs);

my @qemu = ('qemu-system-x86_64', '-accel', 'tcg', '-icount', 'shift=0,sleep=off', '-cpu', 'max',
    '-m', '256M', '-nic', 'none', '-display', 'none', '-no-reboot', '-serial', 'null', '-serial',
    'null', '-device', 'isa-debug-exit,iobase=0xf4', '-kernel',
    "$build/pitot.elf", '-initrd', "$build/programs.tar", '-append',
    "perf.rate=0 run='fs-stress --threads 4 8; poweroff'");

sub pitot
{
    my (@words) = @_;
    my $status = Pitot::Perf::run_between("$logs/out", "$logs/said", '/dev/null', 'timeout',
        $patience, "$build/outside/pitot", @words, '--', @qemu);
    is($status, 0, "pitot $words[0]") or diag(slurp("$logs/said"));
    return slurp("$logs/said");
}

# Interrupt handlers are listed like other functions; what follows the mark lists them again.
my ($graph) = split(/^# interrupts/m, pitot('graph', '*', '--depth', 1000));
my %calls;
$calls{$2} += $1 while $graph =~ /^ *(\d+)(?: +\d+){3}  \|  *(\w+)\(\)/mg;
my @most = (sort { $calls{$b} <=> $calls{$a} || $a cmp $b } keys(%calls))[0 .. $events - 1];
my $said = pitot('stat', map { ('-e', "call:$_") } @most);
my %counted = map { reverse(split) } $said =~ /^ +(\d+ +\S+)$/mg;
my ($same, $sum) = (0, 0);
for my $name (@most) {
    my $counted = $counted{"call:$name"} // 'not counted';
    $sum += $calls{$name};
    $same++ if $counted eq $calls{$name};
    diag("$name: $calls{$name} calls, $counted") if $counted ne $calls{$name};
}
is($same, $events, "each of $events functions is called as often as it begins");
cmp_ok($sum, '>', 100_000, '... many of them often');

done_testing();
